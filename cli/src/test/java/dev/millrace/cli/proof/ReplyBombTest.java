package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.lab.clickhouse.Answer;
import dev.millrace.lab.clickhouse.EngineLibrary;
import dev.millrace.lab.clickhouse.Fault;
import dev.millrace.lab.clickhouse.LabClickHouse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A server, or something before it, answers more than the process has memory for.
@ExtendWith(LabExtension.class)
class ReplyBombTest {
    private static final int ROWS = 600;
    private static final int HEAP_MIB = 64;
    private static final int UNPACKED_MIB = 4 * HEAP_MIB;
    /// Classes, compiled code, stacks, buffers of sockets, and what the collector and the system keep of their own.
    private static final int REST_MIB = 256;
    private static final int BOMBS = 3;

    /// No answer is asked for packed, so one that comes packed is not unpacked: nobody knows what it says, and the
    /// same is sent again under its token. One that does not end is cut.
    @Test
    @Tag("CH-1")
    @Tag("CH-5")
    @Tag("SRC-14")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    @DisplayName("CASES 35: an answer that unpacks to four times the heap, and one that never ends, are no answers and"
            + " cost no memory; every row is there once")
    void anAnswerThatIsTooMuchIsNoAnswer(SharedLab lab, @TempDir Path directory) throws Exception {
        assumeTrue(EngineLibrary.available());
        try (var stage = new Stage(lab);
                var store = LabClickHouse.shared(1, 1)) {
            store.execute("CREATE TABLE t (id UInt64, p UInt8) ENGINE = MergeTree ORDER BY id"
                    + " SETTINGS non_replicated_deduplication_window = 10000");
            var topic = stage.topic("orders");
            stage.topics().create(topic, 1);
            var front = store.front(0, 0);
            var recipe = stage.recipe("[ " + topic + " ]")
                    .set("sinks.warehouse.clickhouse", "{ database: default, table: t, user: default }")
                    .set("sinks.warehouse.shards.s0", "[ \"" + front.url() + "\" ]");
            var file = Files.writeString(directory.resolve("pipeline.yaml"), recipe.text());
            try (var process = MillraceProcess.run(file, "-Xmx" + HEAP_MIB + "m")) {
                var pages = new AdminPages(recipe.port());
                await(process, "ready", () -> pages.code("/readyz") == 200);
                front.fault(Fault.answerAfterwards(bomb()).onInserts().times(BOMBS));
                front.fault(Fault.endlessAnswer().onInserts().times(1));
                stage.topics().produce(Stage.rows(topic, 0, 0, ROWS));
                await(process, "all committed", () -> stage.caughtUp(topic));

                assertThat(pages.metric("millrace_replica_failures_total"))
                        .as("none of them passed for an answer")
                        .isGreaterThanOrEqualTo(BOMBS + 1);
                assertThat(process.peakResidentKib() / 1024)
                        .as("MiB resident at most")
                        .isLessThan(HEAP_MIB + REST_MIB);
                process.terminate();
                assertThat(process.awaitExit(Duration.ofSeconds(15)))
                        .as(process::evidence)
                        .isZero();
                assertThat(process.stderr()).doesNotContain("OutOfMemoryError");
                assertThat(Report.parse(process.stdout()).rows().delivered()).isEqualTo(ROWS);
            }
            assertThat(store.count("t")).isEqualTo(ROWS);
            assertThat(store.engine(0).queryLong("SELECT uniqExact(id) FROM t")).isEqualTo(ROWS);
        }
    }

    private static Answer bomb() throws IOException {
        var packed = new ByteArrayOutputStream();
        var zeros = new byte[1 << 20];
        try (var gzip = new GZIPOutputStream(packed)) {
            for (var i = 0; i < UNPACKED_MIB; i++) gzip.write(zeros);
        }
        // A server's own in all else: nothing but how it is packed keeps it from being a success.
        var headers = Map.of("Content-Encoding", "gzip", "X-ClickHouse-Server-Display-Name", "lab");
        return new Answer(200, headers, ByteBuffer.wrap(packed.toByteArray()));
    }

    private static void await(MillraceProcess process, String what, Callable<Boolean> holds) throws Exception {
        process.await(Duration.ofSeconds(60), what, holds);
    }
}
