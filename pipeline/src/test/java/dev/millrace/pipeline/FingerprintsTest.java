package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.Configuration;
import dev.millrace.config.ReadResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which changes of the file make other batches, and which do not.
final class FingerprintsTest {
    private static final String FILE = """
            pipeline:
              name: shop
            source:
              kafka:
                bootstrap_servers: 127.0.0.1:9
                topics: [orders]
                group_id: shop
                on_no_offset: earliest
            format:
              json: {}
            delivery: effectively_once
            token_epoch: 1
            sinks:
              warehouse:
                postgres: { table: public.orders, user: ingest, password: none-needed }
                shards: { a: ["postgres://127.0.0.1:9/shop"], b: ["postgres://127.0.0.1:10/shop"] }
              events:
                clickhouse: { database: shop, table: orders, user: ingest, password: none-needed, format: row_binary }
                shards: { a: ["http://127.0.0.1:11", "http://127.0.0.1:12"] }
            """;

    @TempDir
    private Path folder;

    private Fingerprints of(String text) throws IOException {
        var read = Configuration.read(Files.writeString(folder.resolve("pipeline.yaml"), text), _ -> null);
        if (read instanceof ReadResult.Loaded(var config, var _)) return new Fingerprints(config);
        throw new AssertionError(text + read);
    }

    @Test
    @Tag("SEAL-8")
    @DisplayName("SEAL-8 EO-9 Lanes are part of what a segment was cut for; a single one is what a shard is without")
    void lanesMakeOtherBatches() throws IOException {
        var sink = "  warehouse:\n";
        var usual = of(FILE);
        assertThat(with(sink, sink + "    ordering: key\n    lanes: 1\n").ofAll())
                .isEqualTo(usual.ofAll());
        var four = with(sink, sink + "    ordering: key\n");
        assertThat(four.ofAll()).isNotEqualTo(usual.ofAll());
        assertThat(four.bySink()).containsEntry("events", usual.bySink().get("events"));
        assertThat(with(sink, sink + "    ordering: key\n    lanes: 5\n").ofAll())
                .isNotEqualTo(four.ofAll());
        assertThat(with(sink, sink + "    ordering: key\n    lanes: 4\n").ofAll())
                .isEqualTo(four.ofAll());
    }

    private Fingerprints with(String before, String after) throws IOException {
        assertThat(FILE).contains(before);
        return of(FILE.replace(before, after));
    }

    private static final String[][] OF_THE_WAREHOUSE = {
        {"public.orders", "public.orders_new"},
        {"shards: { a: [\"postgres://127.0.0.1:9/shop\"], b:", "shards: { c: [\"postgres://127.0.0.1:9/shop\"], b:"},
        {
            "{ a: [\"postgres://127.0.0.1:9/shop\"], b: [\"postgres://127.0.0.1:10/shop\"] }",
            "{ b: [\"postgres://127.0.0.1:9/shop\"], a: [\"postgres://127.0.0.1:10/shop\"] }"
        },
        {
            "b: [\"postgres://127.0.0.1:10/shop\"] }",
            "b: [\"postgres://127.0.0.1:10/shop\"], c: [\"postgres://127.0.0.1:13/shop\"] }"
        },
        {
            "password: none-needed }\n    shards: { a: [\"postgres",
            "password: none-needed, unknown_fields: ignore }\n" + "    shards: { a: [\"postgres"
        },
    };

    @Test
    @DisplayName("EO-9 I10 What decides which rows a batch of a sink has changes its fingerprint, and no other sink's")
    void whatMakesOtherBatchesOfOneSink() throws IOException {
        var usual = of(FILE);
        for (var change : OF_THE_WAREHOUSE) {
            var now = with(change[0], change[1]);
            assertThat(now.bySink().get("warehouse"))
                    .as(change[1])
                    .isNotEqualTo(usual.bySink().get("warehouse"));
            assertThat(now.bySink()).containsEntry("events", usual.bySink().get("events"));
            assertThat(now.ofAll()).as(change[1]).isNotEqualTo(usual.ofAll());
        }
        for (var change : new String[][] {
            {"database: shop", "database: other"},
            {
                "table: orders, user: ingest, password: none-needed, format",
                "table: other, user: ingest, password:" + " none-needed, format"
            },
            {"format: row_binary", "format: json_each_row"},
            {"format: row_binary", "format: row_binary, coordinates: { topic: t, partition: p, offset: o }"},
        }) {
            var now = with(change[0], change[1]);
            assertThat(now.bySink().get("events"))
                    .as(change[1])
                    .isNotEqualTo(usual.bySink().get("events"));
            assertThat(now.bySink()).containsEntry("warehouse", usual.bySink().get("warehouse"));
            assertThat(now.ofAll()).as(change[1]).isNotEqualTo(usual.ofAll());
        }
    }

    @Test
    @DisplayName(
            "EO-9 What decides it for all sinks changes all: format, route; and what plans are cut for: name, token"
                    + " epoch, delivery, the sinks there are")
    void whatMakesOtherBatchesOfAll() throws IOException {
        var usual = of(FILE);
        for (var change : new String[][] {
            {"json: {}", "json: { on_tombstone: dead_letter }"},
            {"delivery:", "route: { key: partition }\ndelivery:"},
        }) {
            var now = with(change[0], change[1]);
            usual.bySink()
                    .forEach(
                            (sink, before) -> assertThat(now.bySink().get(sink)).isNotEqualTo(before));
            assertThat(now.ofAll()).isNotEqualTo(usual.ofAll());
        }
        for (var change : new String[][] {
            {"name: shop", "name: store"},
            {"token_epoch: 1", "token_epoch: 2"},
            {"effectively_once", "at_least_once"},
            {"  events:", "  occurrences:"},
            {"  events:\n", "  events:\n    advisory: true\n"},
        }) {
            var now = with(change[0], change[1]);
            assertThat(now.ofAll()).as(change[1]).isNotEqualTo(usual.ofAll());
        }
    }

    @Test
    @DisplayName("EO-9 Endpoints, limits, times and credentials make no other batch: they may be changed at any time")
    void whatMakesNoOtherBatch() throws IOException {
        var usual = of(FILE);
        for (var change : new String[][] {
            {"127.0.0.1:9/shop", "127.0.0.1:99/shop"},
            {"\"http://127.0.0.1:11\", \"http://127.0.0.1:12\"", "\"http://127.0.0.1:12\""},
            {"user: ingest, password: none-needed }", "user: other, password: another-one }"},
            {"  events:\n", "  events:\n    batch: { max_rows: 77, linger: 2s }\n    write: { timeout: 9s }\n"},
            {"bootstrap_servers: 127.0.0.1:9", "bootstrap_servers: 127.0.0.1:10"},
            {"token_epoch: 1", "token_epoch: 1\npoison: { action: skip }\nadmission: { max_bytes: 1GiB }"},
            {"token_epoch: 1\n", ""},
        }) {
            var now = with(change[0], change[1]);
            assertThat(now.bySink()).as(change[1]).isEqualTo(usual.bySink());
            assertThat(now.ofAll()).as(change[1]).isEqualTo(usual.ofAll());
        }
        assertThat(of(FILE).ofAll()).as("in every process").isEqualTo(usual.ofAll());
    }
}
