package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.Configuration;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.ReadResult;
import dev.millrace.pipeline.DrainReport;
import dev.millrace.pipeline.Pipeline;
import dev.millrace.pipeline.StartFailure;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A pipeline run in this JVM from its file's text, where a process of its own is not what is tested.
///
/// Thread ownership: the test's thread; the pipeline runs on one of its own.
final class InProcess implements AutoCloseable {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final Pipeline pipeline;
    private final AdminPages pages;
    private final CompletableFuture<DrainReport> end = new CompletableFuture<>();

    private InProcess(PipelineConfig config, int port) {
        pipeline = Pipeline.of(config, "proof");
        pages = new AdminPages(port);
    }

    static InProcess start(Recipe recipe) {
        return start(recipe.text(), recipe.port());
    }

    static InProcess start(PipelineYaml yaml) {
        return start(yaml.text(), yaml.port());
    }

    private static InProcess start(String text, int port) {
        var config = switch (Configuration.read("pipeline.yaml", text, _ -> null)) {
            case ReadResult.Loaded(var loaded, var _) -> loaded;
            case ReadResult.Refused(var problems) -> throw new AssertionError(problems + "\n" + text);
        };
        var run = new InProcess(config, port);
        Thread.ofPlatform().daemon().name("pipeline-" + port).start(run::run);
        return run;
    }

    private void run() {
        try {
            pipeline.start();
            var report = pipeline.awaitEnd();
            pipeline.close();
            end.complete(report);
        } catch (StartFailure failure) {
            end.completeExceptionally(failure);
            pipeline.close();
        }
    }

    AdminPages pages() {
        return pages;
    }

    Metrics metrics() throws Exception {
        return Metrics.parse(pages.body("/metrics"));
    }

    /// Returns when there is something to scrape.
    InProcess begun() throws Exception {
        await("metrics", () -> pages.code("/metrics") == 200);
        return this;
    }

    InetSocketAddress listensAt() {
        var address = pipeline.adminAddress();
        if (address == null) throw new AssertionError("it does not listen");
        return address;
    }

    /// Starts are waited for; an end before is a failure.
    InProcess ready() throws Exception {
        await("ready", () -> pages.code("/readyz") == 200);
        return this;
    }

    /// Waits for something that the running pipeline brings about. Fails at once if it ends.
    void await(String what, Callable<Boolean> holds) throws Exception {
        Deadline.in(LONG)
                .until(
                        what,
                        () -> {
                            var now = holds.call();
                            if (!now && end.isDone())
                                throw new AssertionError("it ended before: " + what + "\n" + evidence());
                            return now;
                        },
                        this::evidence);
    }

    private String evidence() {
        if (end.isCompletedExceptionally()) return end.exceptionNow().toString();
        if (end.isDone()) return end.resultNow().json();
        try {
            return pages.body("/status");
        } catch (Exception unread) {
            return unread.toString();
        }
    }

    /// Asks for a drain and does not wait.
    void askToStop() {
        pipeline.stop("test");
    }

    /// Drains it, and reads a report that says this exit code and adds up.
    Report stop(int exitCode) throws Exception {
        askToStop();
        return awaitEnd(exitCode);
    }

    /// Waits until it has ended, for whatever reason.
    Report awaitEnd(int exitCode) throws Exception {
        var report = Report.parse(result().json());
        assertThat(report.exitCode()).as(report::toString).isEqualTo(exitCode);
        report.addsUp();
        return report;
    }

    /// Waits until it has ended, and gives what it reports, whatever that says.
    DrainReport end() throws Exception {
        return result();
    }

    /// What kept it from starting.
    StartFailure startFailure() throws Exception {
        try {
            throw new AssertionError("it started, and ended with " + end.get(LONG.toSeconds(), TimeUnit.SECONDS));
        } catch (ExecutionException told) {
            if (told.getCause() instanceof StartFailure failure) return failure;
            throw told;
        }
    }

    private DrainReport result() throws Exception {
        try {
            return end.get(LONG.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException _) {
            throw new AssertionError("it did not end:\n" + evidence());
        }
    }

    @Override
    public void close() {
        if (!end.isDone()) pipeline.close();
    }
}
