package dev.millrace.bench;

import dev.millrace.bench.SuiteArm.Twist;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The file of one arm's pipeline, as somebody would write it for `millrace run`.
///
/// @param servers of the broker
/// @param endpoint of a shard, by its number from 0
/// @param deadEndpoint that refuses connections
/// @param user of the store; empty for none
record PipelineFile(String servers, IntFunction<String> endpoint, String deadEndpoint, String user) {
    static final String TABLE = "orders";
    static final String DATABASE = "suite";

    String text(SuiteArm arm, String topic, String group) {
        return """
                pipeline:
                  name: suite
                source:
                  kafka:
                    bootstrap_servers: %s
                    topics: [%s]
                    group_id: %s
                    on_no_offset: earliest
                %sformat:
                  %s: {}
                delivery: %s
                sinks:
                  out:
                    %s
                    shards:
                %s%spoison:
                  topic: %s-dead
                drain:
                  timeout: 2m
                admin:
                  listen: none
                """.formatted(
                        servers,
                        topic,
                        group,
                        arm.twist() == Twist.LIVE_JOINED ? "    properties: { heartbeat.interval.ms: \"500\" }\n" : "",
                        arm.program().format(),
                        arm.delivery().name().toLowerCase(Locale.ROOT),
                        kind(arm.program(), user),
                        shards(arm),
                        // Of many partitions the cuts are not to wait longer than the linger says.
                        arm.linger().isEmpty() ? "" : "    batch: { linger: " + arm.linger() + ", max_cuts: 10000 }\n",
                        group);
    }

    private static String kind(Program program, String user) {
        return switch (program) {
            case RAW_BLACKHOLE, JSON_BLACKHOLE -> "blackhole: {}";
            case RAW_HTTP -> "http: {}";
            case JSON_POSTGRES ->
                "postgres: { table: " + TABLE + ", user: " + user
                        + ", password: \"${NOBODY_SETS_THIS:-none-needed}\" }";
            case JSON_CLICKHOUSE -> clickHouse("json_each_row", user);
            case ROW_BINARY_CLICKHOUSE, ROW_BINARY_BLACKHOLE -> clickHouse("row_binary", user);
            case BARE, BARE_SUM -> throw new IllegalArgumentException(program + " has no file");
        };
    }

    private static String clickHouse(String format, String user) {
        return "clickhouse: { database: " + DATABASE + ", table: " + TABLE + ", user: " + user + ", format: " + format
                + " }";
    }

    private String shards(SuiteArm arm) {
        return IntStream.range(0, arm.shards())
                .mapToObj(n -> "      s" + n + ": [" + endpoints(arm, n) + "]\n")
                .collect(Collectors.joining());
    }

    private String endpoints(SuiteArm arm, int shard) {
        var live = "\"" + endpoint.apply(shard) + "\"";
        return arm.twist() == Twist.DEAD_REPLICA ? "\"" + deadEndpoint + "\", " + live : live;
    }
}
