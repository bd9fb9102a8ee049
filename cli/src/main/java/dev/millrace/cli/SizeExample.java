package dev.millrace.cli;

import dev.millrace.config.Configuration;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.ReadResult;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// A file of defaults with one sink, which `millrace size` takes where it is given none.
final class SizeExample {
    private static final List<String> KINDS = List.of("clickhouse", "postgres", "http", "blackhole");
    private static final int MOST_SHARDS = 1000;

    private SizeExample() {}

    /// Throws `IllegalArgumentException`, in words for a person, for a kind that there is not, or too many shards.
    static PipelineConfig of(String kind, int shards) {
        if (!KINDS.contains(kind)) throw new IllegalArgumentException("--sink " + kind + ": here may stand " + KINDS);
        if (shards < 1 || shards > MOST_SHARDS)
            throw new IllegalArgumentException("--shards " + shards + ": 1 to " + MOST_SHARDS);
        var text = """
                pipeline: { name: example }
                source: { kafka: { bootstrap_servers: "localhost:9092", topics: [rows], group_id: example } }
                sinks:
                  %s:
                    %s
                    shards: { %s }
                """.formatted(
                kind,
                switch (kind) {
                    case "clickhouse" -> "clickhouse: { database: rows, table: rows, user: ingest }";
                    case "postgres" -> "postgres: { table: rows, user: ingest, password: none, allow_plaintext: true }";
                    case "http" -> "http: {}";
                    default -> "blackhole: {}";
                },
                IntStream.range(0, shards)
                        .mapToObj(shard -> "s" + shard + ": [\"" + endpoint(kind, shard) + "\"]")
                        .collect(Collectors.joining(", ")));
        return switch (Configuration.read("example", text, _ -> null)) {
            case ReadResult.Loaded(var config, var _) -> config;
            case ReadResult.Refused(var problems) -> throw new IllegalStateException(problems.toString());
        };
    }

    private static String endpoint(String kind, int shard) {
        return switch (kind) {
            case "clickhouse" -> "http://s" + shard + ":8123";
            case "postgres" -> "postgres://s" + shard + ":5432/rows";
            case "http" -> "http://s" + shard + ":8080/rows";
            default -> "blackhole:" + shard;
        };
    }
}
