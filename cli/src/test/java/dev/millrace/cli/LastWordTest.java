package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.DrainConfig;
import dev.millrace.config.Redaction;
import dev.millrace.pipeline.DrainReport;
import dev.millrace.pipeline.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Command;

final class LastWordTest {
    @TempDir
    private Path folder;

    private static DrainReport ending(int exitCode) {
        return new DrainReport(
                "shop",
                "0",
                Instant.EPOCH,
                Instant.EPOCH,
                "SIGTERM",
                exitCode,
                false,
                0,
                25,
                true,
                null,
                new DrainReport.Rows(0, 0, 0, 0, 0, 0L, 0L),
                0,
                0,
                0,
                List.of(),
                List.of(),
                List.of(),
                null);
    }

    @Test
    @Tag("DRN-6")
    void theProcessEndsWithTheCodeOfTheReportThatWasWritten() throws IOException {
        var file = folder.resolve("report.json");
        var reports = ReportSink.open(new DrainConfig.Report.ToFile(file));
        assertThat(reports.write(ending(3), Redaction.NONE)).isTrue();
        assertThat(reports.write(ending(143), Redaction.NONE)).isFalse();
        assertThat(reports.exitCode()).isEqualTo(3);
        assertThat(Files.readString(file)).contains("\"exit_code\": 3").doesNotContain("143");
    }

    @Test
    @Tag("DRN-6")
    void aReportThatStandardOutputDoesNotTakeGoesToStandardErrorAndIsTold() throws IOException {
        var err = new ByteArrayOutputStream();
        try (var full = new PrintStream(new Full(), true, StandardCharsets.UTF_8);
                var told = new PrintStream(err, true, StandardCharsets.UTF_8)) {
            assertThat(new ReportSink(null, full, told).write(ending(3), Redaction.NONE))
                    .isTrue();
            assertThat(err.toString(StandardCharsets.UTF_8)).contains("\"exit_code\": 3");

            assertThat(StandardOutput.trouble(full, new Full())).isEqualTo("No space left on device");
            assertThat(StandardOutput.trouble(full, OutputStream.nullOutputStream()))
                    .isEqualTo("some of it was lost");
            assertThat(StandardOutput.trouble(told, new Full())).isNull();
        }
    }

    @Test
    void aCommandWhoseOutputIsLostIsNoSuccess() {
        var err = new StringWriter();
        var command = Main.command(() -> "No space left on device").setErr(new PrintWriter(err, true));
        assertThat(command.execute("explain-error", "23505")).isEqualTo(ExitCode.FATAL.code());
        assertThat(err.toString()).contains("standard output did not take all of it: No space left on device");
        assertThat(Main.command(() -> null).execute("explain-error", "23505")).isZero();
    }

    /// A disk that is full.
    private static final class Full extends OutputStream {
        @Override
        public void write(int letter) throws IOException {
            throw new IOException("No space left on device");
        }
    }

    @Test
    @Tag("DRN-8")
    void aFaultThatNobodyExpectedIsFatalAndNotTheDemosOne() {
        var command = Main.command().addSubcommand(new Faulty());
        assertThat(command.execute("faulty")).isEqualTo(ExitCode.FATAL.code());
    }

    @Command(name = "faulty")
    private static final class Faulty implements Runnable {
        @Override
        public void run() {
            throw new IllegalStateException("as no part should");
        }
    }
}
