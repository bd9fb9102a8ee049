package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// What `millrace explain-error` prints, and its exit codes.
class ExplainErrorTest {
    @TempDir
    private Path directory = Path.of("");

    private String out = "";
    private String err = "";

    private int run(String... words) {
        var to = new StringWriter();
        var errors = new StringWriter();
        var arguments = new String[words.length + 1];
        arguments[0] = "explain-error";
        System.arraycopy(words, 0, arguments, 1, words.length);
        var code = new CommandLine(Main.class)
                .setOut(new PrintWriter(to))
                .setErr(new PrintWriter(errors))
                .execute(arguments);
        out = to.toString();
        err = errors.toString();
        return code;
    }

    @Test
    @DisplayName("CH-4: a code is explained: name, meaning, whose fault, what is stored, what is done, remedy, source")
    void byNumber() {
        assertThat(run("60")).isZero();
        assertThat(out.lines().map(line -> line.strip().split(" ", 2)[0]))
                .containsExactly("ClickHouse", "means", "blames", "stored", "millrace", "remedy", "source");
        assertThat(out)
                .contains(
                        "ClickHouse 60 UNKNOWN_TABLE",
                        "no such table",
                        "table, right or setting",
                        "nothing of the batch is stored",
                        "holds the batch",
                        "create the table on every replica",
                        "provoked on the engine by a test");
    }

    @Test
    @DisplayName("WRT-3: a status of HTTP is explained as the http sink judges it, once for each case")
    void byStatus() {
        for (var asked : new String[] {"http-503", "HTTP 503: it does not serve now"}) {
            assertThat(run(asked.split(" "))).isZero();
            assertThat(out)
                    .containsSubsequence(
                            "HTTP 503",
                            "where it names a time in Retry-After",
                            "the shard",
                            "HTTP 503",
                            "this replica",
                            "rows of the batch may be stored")
                    .doesNotContain("ClickHouse");
        }
        assertThat(run("http", "418")).isEqualTo(1);
        assertThat(out).contains("HTTP 418", "an answer that says nothing of the rows");
        assertThat(run("http", "999")).isEqualTo(1);
        assertThat(out).isEmpty();
    }

    @Test
    @DisplayName("CH-4: a name is explained, however it is spelt; one that means two things has two answers")
    void byName() {
        assertThat(run("unknown_table")).isZero();
        assertThat(out).contains("ClickHouse 60 UNKNOWN_TABLE");
        assertThat(run("TOO_MANY_PARTS")).isZero();
        assertThat(out)
                .contains("ClickHouse 252 TOO_MANY_PARTS, where its text says \"Too many partitions\"")
                .contains("halves the batch")
                .contains("slows the shard down");
    }

    @Test
    @DisplayName("CH-4: a text of the server's is explained as the writer would judge it")
    void byText() {
        assertThat(run("Code: 252. DB::Exception: Too many partitions for single INSERT block (more than 100)."))
                .isZero();
        assertThat(out).contains("max_partitions_per_insert_block").doesNotContain("slows the shard down");
        assertThat(run("Code:", "252.", "DB::Exception:", "Too many parts (300)"))
                .isZero();
        assertThat(out).contains("slows the shard down").doesNotContain("halves");
        assertThat(run("Code: 6. DB::Exception: Cannot parse: while pushing to view shop.mv (CANNOT_PARSE_TEXT)"))
                .isZero();
        assertThat(out).contains("a view behind the table threw", "rows of the batch may be stored");
        assertThat(run("no such table (UNKNOWN_TABLE): Table shop.events does not exist"))
                .isZero();
        assertThat(out).contains("ClickHouse 60 UNKNOWN_TABLE");
    }

    @Test
    @DisplayName("PG-1: a SQLSTATE is explained by the same command, which tells whose it is")
    void postgres() {
        for (var asked : new String[] {
            "23505",
            "unique_violation",
            "ERROR: duplicate key value violates unique constraint (SQLSTATE 23505)",
            "ERROR:  23505: duplicate key value",
            "23505: sending rows: a row with this unique key is there, table t"
        }) {
            assertThat(run(asked)).as(asked).isZero();
            assertThat(out).startsWith("PostgreSQL 23505 unique_violation").contains("on_conflict: ignore");
            assertThat(out).doesNotContain("ClickHouse");
        }
        assertThat(run("XX000")).isZero();
        assertThat(out).contains("internal error");
        assertThat(run("08006")).isZero();
        assertThat(out).startsWith("PostgreSQL 08006 connection_failure");
    }

    @Test
    @DisplayName("CH-4: a code that nobody knows is told as what it is taken for, with exit code 1")
    void unknownCode() {
        assertThat(run("9999")).isEqualTo(1);
        assertThat(out).contains("ClickHouse 9999", "not known", "rows of the batch may be stored");
        assertThat(err).contains("in no table");
        for (var nothing : new String[] {"", "hello", "0", "what is this", "12345678"}) {
            assertThat(run(nothing)).as(nothing).isEqualTo(1);
            assertThat(out).isEmpty();
            assertThat(err).contains("no error is named by that");
        }
    }

    @Test
    @DisplayName("CH-4: a verdict of the pipeline's file is told where the file is given")
    void theFileSaysOtherwise() throws IOException {
        var file = Files.writeString(directory.resolve("pipeline.yaml"), """
                pipeline: { name: storefront }
                source:
                  kafka: { bootstrap_servers: "localhost:9092", topics: [orders], group_id: g }
                sinks:
                  warehouse:
                    clickhouse:
                      database: shop
                      table: events
                      user: ingest
                      verdicts: { 9999: rows, "252 Too many parts": wait }
                    shards: { s0: ["http://ch:8123"] }
                """);
        assertThat(run("252", "--file", file.toString())).isZero();
        assertThat(out)
                .contains("sinks.warehouse.clickhouse.verdicts has 252 Too many parts: wait, which sends the same batch"
                        + " again after a pause");
        assertThat(run("9999", "--file", file.toString())).isEqualTo(1);
        assertThat(out).contains("9999: rows, which holds the batch whole");
        assertThat(run("60", "--file", file.toString())).isZero();
        assertThat(out).doesNotContain("verdicts");
        Files.writeString(file, "pipelin: { name: a }\n");
        assertThat(run("60", "--file", file.toString())).isEqualTo(2);
    }
}
