package dev.millrace.pipeline;

import dev.millrace.config.BlackholeConfig;
import dev.millrace.config.ClickHouseConfig;
import dev.millrace.config.HttpConfig;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.PostgresConfig;
import dev.millrace.config.ShardConfig;
import dev.millrace.config.SinkConfig;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What decides which rows a batch has and what they are, told from what does not: a batch that is
/// made again under the same fingerprint is the same batch (I4, EO-9).
///
/// Shards count by their names, in the order in which rows are spread over them, and lanes by their number; endpoints,
/// limits, times and credentials do not count. Nor do a table's own columns, which its database
/// may change at any time.
///
/// Thread ownership: none; immutable.
final class Fingerprints {
    private final Map<String, String> bySink = new LinkedHashMap<>();
    private final long ofAll;

    Fingerprints(PipelineConfig config) {
        for (var sink : config.sinks()) if (!sink.advisory()) bySink.put(sink.name(), of(config, sink));
        // The name is in every token.
        ofAll = hashed(
                config.name() + "\ntoken_epoch " + config.tokenEpoch() + "\n" + config.delivery() + "\n" + bySink);
    }

    /// By the sinks' names.
    Map<String, String> bySink() {
        return Map.copyOf(bySink);
    }

    /// Of everything that plans are cut for.
    long ofAll() {
        return ofAll;
    }

    private static String of(PipelineConfig config, SinkConfig sink) {
        var parts = new ArrayList<String>();
        parts.add("format " + config.format());
        parts.add("route " + config.route());
        parts.add("shards " + sink.shards().stream().map(ShardConfig::name).toList());
        // One lane has the rows that a shard has without any: those batches stay what they were.
        if (sink.ordering().lanes() > 1) parts.add("lanes " + sink.ordering().lanes());
        parts.addAll(
                switch (sink.kind()) {
                    case PostgresConfig postgres ->
                        List.of(
                                "postgres " + postgres.table(),
                                "unknown_fields " + postgres.unknownFields(),
                                "raw_column " + postgres.rawColumn());
                    case ClickHouseConfig clickhouse ->
                        List.of(
                                "clickhouse " + clickhouse.database() + "." + clickhouse.table(),
                                "format " + clickhouse.format(),
                                "unknown_fields " + clickhouse.unknownFields(),
                                "coordinates " + clickhouse.coordinates());
                    case HttpConfig _ -> List.of("http");
                    case BlackholeConfig() -> List.of("blackhole");
                });
        return String.join("\n", parts);
    }

    private static long hashed(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(digest).getLong();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java runtime has SHA-256", impossible);
        }
    }
}
