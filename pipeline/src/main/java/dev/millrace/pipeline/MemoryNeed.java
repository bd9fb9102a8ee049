package dev.millrace.pipeline;

import dev.millrace.config.BlackholeConfig;
import dev.millrace.config.KafkaClientDefaults;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.PoisonConfig;
import dev.millrace.config.SinkConfig;
import dev.millrace.kafka.DeadLetterRoom;
import dev.millrace.kafka.SourceMachine;
import dev.millrace.pipeline.SizingFigure.Unit;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.SlabSource;
import java.util.Map;

/// What one process takes of heap and container while each of its bounds is reached, as docs/running.md#memory lists
/// them.
///
/// Thread ownership: the thread that sizes.
final class MemoryNeed {
    private static final long MIB = 1L << 20;

    /// An index of two numbers beside each row in a slab.
    private static final long INDEX_BYTES = 8;

    /// A piece of a body, and what packs it: the largest is LZ4's, with two buffers of a block, and two pieces.
    private static final long ATTEMPT_BYTES = MIB;

    /// What was live beside slabs when a backlog was written: 47 MB.
    private static final long PROGRAM_BYTES = 64 * MIB;

    /// What an idle process has resident outside of the heap: 180 MB, less 50 of heap.
    private static final long OUTSIDE_BYTES = 144 * MIB;

    private static final double COLLECTOR_ROOM = 1.25;
    private static final double HEAP_OF_CONTAINER = 0.6;

    private final PipelineConfig config;
    private final SizingLoad load;
    private final SizingSheet sheet;
    private final int consumers;
    private double live;

    MemoryNeed(PipelineConfig config, SizingLoad load, SizingSheet sheet) {
        this.config = config;
        this.load = load;
        this.sheet = sheet;
        consumers = config.kafka().consumers();
    }

    void tell() {
        rows();
        var fetched = FetchBuffers.of(config.kafka().properties(), consumers, Map.of("all", load.partitions()));
        live(
                "fetch_buffers",
                fetched.bytes(),
                "all " + load.partitions() + " partitions × " + SizingText.bytes((double) fetched.bytesEach())
                        + ", as if no other process were left, twice, read ahead and polled:"
                        + " max.partition.fetch.bytes, or a part of fetch.max.bytes");
        polled();
        letters();
        live(
                "attempts",
                config.sinks().stream().mapToLong(MemoryNeed::attempts).sum() * ATTEMPT_BYTES,
                "shards × inflight.max_per_shard"
                        + (config.sinks().stream()
                                        .anyMatch(sink -> sink.inflight().limited())
                                ? ", or inflight.max_total,"
                                : "")
                        + " × 1 MiB at most for what is on its way to a socket");
        live("program", PROGRAM_BYTES, "47 MB were live beside rows after an outage: docs/benchmarks.md");
        sheet.add(SizingFigure.PROCESS, "heap_live", live, Unit.BYTES, "all of these at once");
        var heap = Math.ceil(live * COLLECTOR_ROOM / (64 * MIB)) * 64 * MIB;
        sheet.add(
                SizingFigure.PROCESS,
                "heap",
                heap,
                Unit.BYTES,
                "heap_live × 1.25, which is a margin for the collector and not measured: set -Xmx" + (long) heap / MIB
                        + "m");
        container(heap);
        if (fetched.large((long) heap))
            sheet.add(Finding.hazard(
                    "source.kafka.properties",
                    "fetch buffers may take more than half of the heap",
                    "lower max.partition.fetch.bytes"));
    }

    private void live(String name, long bytes, String from) {
        live += sheet.add(SizingFigure.PROCESS, name, (double) bytes, Unit.BYTES, from);
    }

    private void rows() {
        var admission = config.admission();
        live(
                "in_flight",
                admission.maxBytes(),
                "admission.max_bytes; slabs that are kept to be filled again are in it");
        var advisory = config.sinks().stream().filter(SinkConfig::advisory).count();
        if (advisory > 0)
            live("advisory", advisory * admission.maxBytes() / 2, "half of admission.max_bytes for each advisory sink");
        var flow = load.flow();
        var rows = flow == null
                ? admission.maxRows()
                : Math.min(admission.maxRows(), admission.maxBytes() / flow.bytesPerRow());
        live(
                "row_index",
                rows * INDEX_BYTES * (2 + advisory) / 2,
                "8 B for each row in flight: of admission.max_rows, or of as many as admission.max_bytes has room for");
        var largest = config.sinks().stream()
                .mapToLong(sink -> sink.chunk().targetBytes())
                .max()
                .orElseThrow();
        live(
                "chunks_being_built",
                (long) consumers * SourceMachine.MOST_OPEN_BUILDERS * largest,
                "consumers × " + SourceMachine.MOST_OPEN_BUILDERS
                        + " × chunk.target_bytes, past admission: docs/decisions/0005");
        var partly = Math.min(SlabSource.SPARES, load.partitions());
        live(
                "slabs_partly_filled",
                consumers
                        * config.sinks().stream()
                                .mapToLong(sink -> (long) sink.shards().size()
                                        * sink.ordering().lanes()
                                        * partly
                                        * sink.chunk().targetBytes())
                                .sum(),
                "consumers × shards × "
                        + (config.sinks().stream()
                                        .anyMatch(sink -> sink.ordering().lanes() > 1)
                                ? "lanes × "
                                : "")
                        + "at most " + SlabSource.SPARES + " × chunk.target_bytes");
    }

    private void polled() {
        var flow = load.flow();
        if (flow == null) return;
        live(
                "one_poll",
                consumers * clientNumber("max.poll.records") * flow.bytesPerRow(),
                "consumers × max.poll.records × bytes of a row, as they are unpacked");
    }

    private void letters() {
        if (config.poison().action() != PoisonConfig.Action.DEAD_LETTER) return;
        var values = Math.min(load.partitions() * DeadLetterRoom.OF_PARTITION, consumers * DeadLetterRoom.OF_MEMBER);
        live(
                "dead_letters",
                values + 2 * DeadLetterRoom.OF_ORIGINALS,
                "while rows are set aside: 4 MiB for each partition, 64 MiB for each consumer at most; and twice 32 MiB");
    }

    private static long attempts(SinkConfig sink) {
        return sink.kind() instanceof BlackholeConfig
                ? 0
                : sink.inflight().most(sink.shards().size(), sink.inflight().maxPerShard());
    }

    private void container(double heap) {
        var outside = (double) (OUTSIDE_BYTES + consumers * clientNumber("fetch.max.bytes")) + heap / 20;
        var by = sheet.add(
                SizingFigure.PROCESS,
                "outside_heap",
                outside,
                Unit.BYTES,
                "180 MB resident when idle, 50 of them heap (docs/benchmarks.md), a fetch.max.bytes for each consumer, and"
                        + " a twentieth of the heap for the collector's tables");
        sheet.add(
                SizingFigure.PROCESS,
                "container",
                Math.ceil(Math.max(heap + by, heap / HEAP_OF_CONTAINER) / (64 * MIB)) * 64 * MIB,
                Unit.BYTES,
                "heap + outside_heap, or heap ÷ 0.6 where MaxRAMPercentage=60 of the image and the chart says what is heap");
    }

    /// A setting of the client that is a number, given or usual.
    private long clientNumber(String name) {
        return number(config, name);
    }

    static long number(PipelineConfig config, String name) {
        var usual = KafkaClientDefaults.givingWay().getOrDefault(name, "0");
        return Long.parseLong(
                config.kafka().properties().plain().getOrDefault(name, usual).strip());
    }
}
