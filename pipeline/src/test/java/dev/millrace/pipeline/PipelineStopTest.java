package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.Configuration;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.ReadResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class PipelineStopTest {
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
            sinks:
              nowhere:
                blackhole: {}
                shards:
                  a: [blackhole:a]
            drain:
              timeout: 0s
            admin:
              listen: none
            """;

    @TempDir
    private Path folder;

    private PipelineConfig config() throws IOException {
        return config(FILE);
    }

    private PipelineConfig config(String text) throws IOException {
        var file = Files.writeString(folder.resolve("pipeline.yaml"), text);
        return switch (Configuration.read(file, _ -> null)) {
            case ReadResult.Loaded(var config, var _) -> config;
            case ReadResult.Refused(var problems) -> throw new AssertionError(problems);
        };
    }

    private StartFailure refused(String text) throws IOException {
        var pipeline = Pipeline.of(config(text), "0");
        try {
            pipeline.start();
            throw new AssertionError("it started");
        } catch (StartFailure failure) {
            return failure;
        } finally {
            pipeline.close();
        }
    }

    @Test
    @DisplayName("EO-11: below the level that is asked for it does not start, and says why in one line")
    @Tag("EO-11")
    void belowTheLevelItDoesNotStart() throws IOException {
        var failure = refused(FILE + "require: L1\n");
        assertThat(failure.exitCode()).isEqualTo(ExitCode.BAD_CONFIGURATION);
        assertThat(failure).hasMessage("sink nowhere: L0, and require asks for L1: blackhole keeps nothing");
    }

    @Test
    @DisplayName("EO-11: a sink that does not answer in time while a level is asked for ends the start")
    @Tag("EO-11")
    @Timeout(60)
    void whoDoesNotAnswerHasNoLevel() throws IOException {
        var failure =
                refused(FILE.replace("    blackhole: {}\n", "    clickhouse: { database: d, table: t, user: u }\n")
                                .replace("blackhole:a", "'http://127.0.0.1:9'")
                                .replace("    on_no_offset", "    startup_timeout: 1s\n    on_no_offset")
                        + "require: L1\n");
        assertThat(failure.exitCode()).isEqualTo(ExitCode.FATAL);
        assertThat(failure)
                .hasMessageStartingWith("sink nowhere: no level is known within source.kafka.startup_timeout 1000 ms,"
                        + " and require asks for L1: ");
    }

    /// Workers that were never given anything end in an instant, but they have to be asked first.
    @Test
    @Tag("DRN-3")
    @Tag("DRN-11")
    @DisplayName("CASES 33: a stop in a start that takes longer than the drain may is told as what it is: nothing left")
    void aStopInAStartThatTakesLongerThanTheDrainMayLeavesNothing() throws Exception {
        var pipeline = Pipeline.of(config(FILE.replace("timeout: 0s", "timeout: 50ms")), "0");
        pipeline.stop("SIGTERM");
        var longAfter = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(500);
        while (System.nanoTime() - longAfter < 0) LockSupport.parkNanos(longAfter - System.nanoTime());
        pipeline.start();
        var report = pipeline.awaitEnd();
        pipeline.close();
        assertThat(report.exitCode()).isZero();
        assertThat(report.drained()).isTrue();
    }

    @Test
    @Tag("DRN-8")
    void aFrontThatDiesEndsItAsFatal() throws IOException {
        var pipeline = Pipeline.of(config(), "0");
        new PoolNews(pipeline).frontDied("nowhere", new StackOverflowError());
        var report = pipeline.awaitEnd();
        pipeline.close();
        assertThat(report.exitCode()).isEqualTo(ExitCode.FATAL.code());
        assertThat(report.reason()).contains("nowhere", "StackOverflowError");
    }

    @Test
    @Tag("DRN-8")
    void aFaultWhileItDrainsStandsAboveWhatWasAskedFor() throws IOException {
        var pipeline = Pipeline.of(config(), "0");
        pipeline.stop("SIGTERM");
        pipeline.fault("a worker died", ExitCode.FATAL);
        var report = pipeline.awaitEnd();
        pipeline.close();
        assertThat(report.exitCode()).isEqualTo(ExitCode.FATAL.code());
        assertThat(report.reason()).isEqualTo("SIGTERM");
    }
}
