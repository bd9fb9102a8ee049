package dev.millrace.bench;

import dev.millrace.bench.Shape.Codec;
import dev.millrace.bench.SuiteArm.Twist;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Every arm of the suite: the cells that have goals, and one factor at a time from a base, which is 1 KB,
/// not compressed, 12 partitions, `raw` into four shards of `blackhole`, at least once.
final class Catalogue {
    private static final Shape KILO = Shape.of(1024);
    private static final Shape SMALL = Shape.of(200);

    /// Of what goes into a store, which takes a tenth of what the pipeline does.
    private static final Shape FEW = SMALL.percent(20);

    private Catalogue() {}

    static List<SuiteGroup> groups() {
        return Stream.of(
                        cells("1k", "1 KB", KILO, true),
                        cells("200b", "200 B", SMALL, false),
                        cells("1k-lz4", "1 KB, lz4", KILO.codec(Codec.LZ4), false),
                        cells("200b-lz4", "200 B, lz4", SMALL.codec(Codec.LZ4), false),
                        pairs("size", "Size of a value", List.of(Shape.of(100), Shape.of(10_240))),
                        pairs("compression", "Compression by the producer", List.of(KILO.codec(Codec.ZSTD))),
                        pairs(
                                "partitions",
                                "Partitions",
                                List.of(KILO.partitions(1), KILO.partitions(64), KILO.partitions(256))),
                        shards(),
                        growth(),
                        sinks(),
                        delivery(12, true),
                        delivery(64, false),
                        replica(),
                        poison(),
                        latency())
                .toList();
    }

    private static SuiteGroup cells(String name, String title, Shape shape, boolean quick) {
        var arms = Stream.of(
                        SuiteArm.of("bare", shape, Program.BARE),
                        SuiteArm.of("bare-sum", shape, Program.BARE_SUM),
                        SuiteArm.of("raw-blackhole", shape, Program.RAW_BLACKHOLE),
                        SuiteArm.of("raw-http", shape, Program.RAW_HTTP),
                        SuiteArm.of("json-blackhole", shape, Program.JSON_BLACKHOLE),
                        SuiteArm.of("row-binary-blackhole", shape, Program.ROW_BINARY_BLACKHOLE))
                .map(arm -> quick ? arm.alsoQuick() : arm)
                .toList();
        return new SuiteGroup(name, title, arms);
    }

    /// The base and its loop over each shape.
    private static SuiteGroup pairs(String name, String title, List<Shape> shapes) {
        var arms = new ArrayList<SuiteArm>();
        for (var shape : shapes) {
            var suffix = switch (name) {
                case "partitions" -> "-p" + shape.partitions();
                case "compression" -> "-" + shape.codec().word();
                default -> "-" + shape.valueBytes();
            };
            arms.add(SuiteArm.of("bare-sum" + suffix, shape, Program.BARE_SUM));
            arms.add(SuiteArm.of("raw-blackhole" + suffix, shape, Program.RAW_BLACKHOLE));
        }
        return new SuiteGroup(name, title, arms);
    }

    private static SuiteGroup shards() {
        var arms = new ArrayList<SuiteArm>();
        arms.add(SuiteArm.of("bare-sum", KILO, Program.BARE_SUM));
        for (var count : new int[] {1, 4, 16, 64})
            arms.add(SuiteArm.of("raw-blackhole-s" + count, KILO, Program.RAW_BLACKHOLE)
                    .shards(count));
        return new SuiteGroup("shards", "Shards", arms);
    }

    private static SuiteGroup growth() {
        return new SuiteGroup(
                "growth",
                "Growth",
                List.of(
                        SuiteArm.of("p4-s1", KILO.partitions(4), Program.RAW_BLACKHOLE)
                                .shards(1),
                        SuiteArm.of("p256-s64", KILO.partitions(256), Program.RAW_BLACKHOLE)
                                .shards(64)));
    }

    private static SuiteGroup sinks() {
        return new SuiteGroup(
                "sinks",
                "Sinks",
                List.of(
                        SuiteArm.of("bare", FEW, Program.BARE),
                        SuiteArm.of("bare-sum", FEW, Program.BARE_SUM),
                        SuiteArm.of("blackhole", FEW, Program.JSON_BLACKHOLE).shards(1),
                        SuiteArm.of("http", FEW, Program.RAW_HTTP).shards(1),
                        SuiteArm.of("postgres", FEW, Program.JSON_POSTGRES)
                                .shards(1)
                                .alsoQuick(),
                        SuiteArm.of("clickhouse-json", FEW, Program.JSON_CLICKHOUSE)
                                .shards(1)
                                .alsoQuick(),
                        SuiteArm.of("clickhouse-row-binary", FEW, Program.ROW_BINARY_CLICKHOUSE)
                                .shards(1)
                                .alsoQuick()));
    }

    private static SuiteGroup delivery(int partitions, boolean quick) {
        var shape = FEW.partitions(partitions);
        var arms = Stream.of(
                        SuiteArm.of("postgres-at-least", shape, Program.JSON_POSTGRES),
                        SuiteArm.of("postgres-effectively", shape, Program.JSON_POSTGRES)
                                .effectivelyOnce(),
                        SuiteArm.of("blackhole-at-least", shape, Program.ROW_BINARY_BLACKHOLE),
                        SuiteArm.of("blackhole-effectively", shape, Program.ROW_BINARY_BLACKHOLE)
                                .effectivelyOnce())
                .map(arm -> arm.shards(1))
                .map(arm -> quick && arm.name().startsWith("postgres") ? arm.alsoQuick() : arm)
                .toList();
        return new SuiteGroup("delivery-" + partitions, "Delivery, " + partitions + " partitions", arms);
    }

    private static SuiteGroup replica() {
        var whole = SuiteArm.of("both", FEW, Program.JSON_POSTGRES).shards(1);
        return new SuiteGroup(
                "replica",
                "A dead replica",
                List.of(
                        whole,
                        SuiteArm.of("one-dead", FEW, Program.JSON_POSTGRES)
                                .shards(1)
                                .twist(Twist.DEAD_REPLICA)
                                .alsoQuick()));
    }

    private static SuiteGroup poison() {
        return new SuiteGroup(
                "poison",
                "Poison",
                List.of(
                        SuiteArm.of("none", FEW, Program.JSON_BLACKHOLE),
                        SuiteArm.of("one-in-10000", FEW.poisonEvery(10_000), Program.JSON_BLACKHOLE)
                                .alsoQuick()));
    }

    private static SuiteGroup latency() {
        var arm = SuiteArm.of("linger-default", FEW, Program.JSON_POSTGRES)
                .shards(1)
                .effectivelyOnce()
                .twist(Twist.LIVE);
        return new SuiteGroup(
                "latency",
                "Delay at half load",
                List.of(
                        arm,
                        SuiteArm.of("linger-200ms", FEW, Program.JSON_POSTGRES)
                                .shards(1)
                                .effectivelyOnce()
                                .twist(Twist.LIVE)
                                .linger("200ms"),
                        SuiteArm.of("rebalance", FEW, Program.JSON_POSTGRES)
                                .shards(1)
                                .effectivelyOnce()
                                .twist(Twist.LIVE_JOINED)
                                .linger("200ms")
                                .alsoQuick()));
    }
}
