package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.clickhouse.ClickHouseSettings.UnknownFields;
import dev.millrace.clickhouse.TableLayout.Absent;
import dev.millrace.clickhouse.TableLayout.Column;
import dev.millrace.clickhouse.TableLayout.Origin;
import dev.millrace.httpclient.Compression;
import dev.millrace.sinkpool.Token;
import dev.millrace.sinkpool.WriteOutcome.TooLarge;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What is said with every insert.
@Timeout(120)
class InsertSettingsTest {
    @Test
    @DisplayName("CASE-9 CASE-11 CASE-13, CH-2: every setting that touches deduplication, blocks or parsing is said")
    void saidWithEveryInsert() throws Exception {
        try (var stub = Stub.listen(Stub.ok());
                var bench = Bench.open(
                        Bench.settings(Compression.NONE, Map.of("insert_quorum", "2", "log_comment", "a=b&c")),
                        stub.uri())) {
            bench.write("{}");
            var lines = new ArrayList<String>();
            stub.only().query().forEach((name, value) -> lines.add(name + " = " + value));
            Golden.check("insert.txt", lines);
        }
    }

    @Test
    @DisplayName("CH-2: with typed rows it also says that names and types in the header count")
    void saidWithTypedRows() throws Exception {
        var layout = new TableLayout(
                List.of(
                        new Column("id", "UInt64", new Origin.Field(), Absent.REFUSED),
                        new Column("a`b", "Nullable(Int8)", new Origin.Field(), Absent.DEFAULT)),
                true,
                true);
        var insert = new InsertSettings(
                Bench.typed("events", UnknownFields.IGNORE, Compression.NONE), InsertSettings.asked(), layout);
        var lines = new ArrayList<String>();
        new Stub.Request("/?" + insert.query(new Token("run/1")), Map.of(), "")
                .query()
                .forEach((name, value) -> lines.add(name + " = " + value));
        Golden.check("insert_row_binary.txt", lines);
        assertThat(new String(insert.prefix(), StandardCharsets.UTF_8))
                .isEqualTo("\2\2id\3a`b\6UInt64\16Nullable(Int8)");
    }

    @Test
    @DisplayName("CH-2: what a server does not know is not said to it")
    void notKnown() throws Exception {
        try (var stub = Stub.listen(Stub.ok())
                        .ofVersion("22.8.1.1", "deduplicate_insert", "max_insert_block_size_bytes");
                var bench = Bench.at(stub)) {
            bench.write("{}");
            assertThat(stub.only().query())
                    .doesNotContainKeys("deduplicate_insert", "max_insert_block_size_bytes")
                    .containsKeys("insert_deduplicate", "wait_end_of_query", "async_insert", "query");
        }
    }

    @Test
    @DisplayName("CH-2: a server that knows no tokens is refused")
    void noTokens() throws Exception {
        try (var stub = Stub.listen(Stub.ok()).ofVersion("18.16.1", "insert_deduplication_token");
                var sink = Bench.sink(Bench.settings(), stub.uri())) {
            assertThat(sink.describe(Bench.in(Bench.AMPLE)))
                    .isInstanceOfSatisfying(
                            Description.Refused.class,
                            refused -> assertThat(refused.reason()).contains("18.16.1", "insert_deduplication_token"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "async_insert",
                "wait_for_async_insert",
                "async_insert_deduplicate",
                "async_insert_max_data_size",
                "insert_deduplicate",
                "deduplicate_insert",
                "insert_deduplication_token",
                "deduplicate_blocks_in_dependent_materialized_views",
                "max_insert_block_size",
                "max_insert_block_size_rows",
                "min_insert_block_size_bytes_for_materialized_views",
                "input_format_skip_unknown_fields",
                "input_format_allow_errors_ratio",
                "input_format_connection_handling",
                "materialized_views_ignore_errors",
                "max_execution_time",
                "wait_end_of_query",
                "query",
                "query_id",
                "database",
                "user",
                "password",
                "profile",
                "session_id",
                "A",
                "a&b",
                "a=b",
                "",
            })
    @DisplayName("CASE-11, CH-2: what the sink owns is refused in the free settings, with the reason")
    void owned(String name) {
        assertThatThrownBy(() -> Bench.settings(Compression.NONE, Map.of(name, "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("clickhouse.settings: ");
    }

    @Test
    @DisplayName("CASE-13, CH-3: the same batch is the same request, whenever it is sent")
    void frozen() throws Exception {
        try (var stub = Stub.listen(Stub.exception("500 Internal Server Error", 999, ""), Stub.ok());
                var bench = Bench.at(stub)) {
            var rows = Lines.batch("{\"id\":1}", "{\"id\":2}");
            for (var i = 0; i < 2; i++) bench.writer().write(new Call(rows, "run/a#0-2", Bench.AMPLE));
            var first = stub.requests().get(0);
            var again = stub.requests().get(1);
            assertThat(again.target()).isEqualTo(first.target());
            assertThat(again.body()).isEqualTo(first.body());
            assertThat(first.query()).containsEntry("insert_deduplication_token", "run/a#0-2");
        }
    }

    @Test
    @DisplayName("CH-3: more rows than a block of the server's are not sent at all")
    void moreThanABlock() throws Exception {
        try (var stub = Stub.listen(Stub.ok());
                var bench = Bench.at(stub)) {
            var rows = Lines.batch(1 << 20, Collections.nCopies(InsertSettings.BLOCK_ROWS, "{}"));
            assertThat(bench.writer().write(new Call(rows, "run/1", Bench.AMPLE)))
                    .isInstanceOfSatisfying(
                            TooLarge.class,
                            outcome -> assertThat(outcome.failure().mayHaveStored())
                                    .isFalse());
            assertThat(stub.requests()).isEmpty();
        }
    }

    @Test
    void namesAreQuoted() {
        assertThat(InsertSettings.quoted("a`b\\c")).isEqualTo("`a\\`b\\\\c`");
        assertThat(ClickHouseWriter.literal("a'b\\c")).isEqualTo("'a\\'b\\\\c'");
    }
}
