package dev.millrace.cli;

import dev.millrace.config.PipelineConfig;
import dev.millrace.config.Problem;
import dev.millrace.config.ReadResult;
import dev.millrace.config.Redaction;
import dev.millrace.pipeline.Doctor;
import dev.millrace.sinkpool.Finding;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads the file of a running pipeline anew when it is asked to, and hands it over if it can run.
///
/// Fit is a file that is read without a problem, and of which a look at all that it names ([Doctor]) finds no fault. An
/// address that does not answer is one too, unless what runs has it already: then it is down, and no mistake. A file
/// that is not fit changes nothing, and is told.
///
/// What is asked while a reload is under way is done once behind it.
///
/// Thread ownership: two daemon threads of its own; `ask` any.
final class Reloader {
    /// Takes what may run. Returns when it has the place of what ran.
    @FunctionalInterface
    interface Replacing {
        void by(LoadedFile file) throws InterruptedException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(Reloader.class);
    private static final Duration LOOK = Duration.ofSeconds(10);
    private static final Duration WATCH = Duration.ofSeconds(1);
    private static final String SOURCE = "source.kafka";

    private final Path file;
    private final FileBook book;
    private final Replacing replacing;
    private final Semaphore asked = new Semaphore(0);
    private volatile PipelineConfig running;

    Reloader(Path file, PipelineConfig running, FileBook book, Replacing replacing) {
        this.file = file;
        this.running = running;
        this.book = book;
        this.replacing = replacing;
    }

    void start(boolean watch) {
        Thread.ofPlatform().daemon().name("millrace-reload").start(this::run);
        if (watch) Thread.ofPlatform().daemon().name("millrace-watch").start(this::watch);
    }

    /// What runs now.
    void runs(PipelineConfig config) {
        running = config;
    }

    /// Asks for a reload. Returns at once.
    void ask(String why) {
        asked.release();
        LOG.atInfo()
                .addKeyValue("event", "reload_asked")
                .addKeyValue("file", file)
                .log("{}", why);
    }

    private void run() {
        try {
            while (true) {
                asked.acquire();
                asked.drainPermits();
                tryReload();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// What no part of it expects refuses the file too, and the next is looked at as ever.
    private void tryReload() throws InterruptedException {
        try {
            reload();
        } catch (RuntimeException fault) {
            LOG.atError()
                    .addKeyValue("event", "reload_fault")
                    .addKeyValue("file", file)
                    .setCause(fault)
                    .log("the file could not be looked at, and the pipeline runs on as it was");
            book.refused(
                    book.lastGiven(),
                    List.of("it could not be looked at: " + fault.getClass().getName()));
        }
    }

    private void reload() throws InterruptedException {
        var given = PipelineFile.give(file);
        book.given(given.digest());
        switch (given.result()) {
            case ReadResult.Refused(var problems) ->
                refuse(given.digest(), problems.stream().map(Problem::text).toList());
            case ReadResult.Loaded(var config, var _) -> {
                Logs.hideToo(config);
                var faults = faults(config);
                if (faults.isEmpty()) replacing.by(new LoadedFile(config, given.digest()));
                else refuse(given.digest(), faults);
            }
        }
    }

    private void refuse(String digest, List<String> reasons) {
        book.refused(digest, reasons);
        LOG.atError()
                .addKeyValue("event", "reload_refused")
                .addKeyValue("file", file)
                .addKeyValue("reasons", reasons.size())
                .log("the pipeline runs on as it was: {}", String.join(" | ", reasons));
    }

    /// What would keep it from running as a person wants it, a line each.
    private List<String> faults(PipelineConfig config) throws InterruptedException {
        var faults = new ArrayList<String>();
        try {
            ReportSink.open(config.drain().report());
        } catch (IOException cause) {
            faults.add(RunProcess.unfit(cause));
        }
        for (var finding : new Doctor(config, InstantSource.system()).look(LOOK).findings()) {
            switch (finding.severity()) {
                case FAULT -> faults.add(line(finding));
                case UNREACHED -> {
                    if (!knownAlready(finding.where())) faults.add(line(finding));
                }
                case HAZARD, NOTE -> {}
            }
        }
        // The status page leaves out what is secret in the file that runs; this is another.
        return faults.stream().map(Redaction.of(config)::of).toList();
    }

    private static String line(Finding finding) {
        return finding.where() + ": " + finding.what() + (finding.remedy().isEmpty() ? "" : "; " + finding.remedy());
    }

    private boolean knownAlready(String where) {
        return where.startsWith(SOURCE) || addresses(running).anyMatch(where::contains);
    }

    private static Stream<String> addresses(PipelineConfig config) {
        return config.sinks().stream()
                .flatMap(sink -> sink.shards().stream())
                .flatMap(shard -> shard.endpoints().stream())
                .map(Object::toString);
    }

    private void watch() {
        var seen = "";
        try {
            while (true) {
                Thread.sleep(WATCH);
                seen = look(seen);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Asks for a content that was the same at two looks, and is not the one that was looked at last, unless a reload
    /// is asked for already, which will read it. Returns what this look saw.
    String look(String before) {
        var now = digest();
        if (now.equals(before) && !now.isEmpty() && !now.equals(book.lastGiven()) && waiting() == 0)
            ask("its content changed");
        return now;
    }

    /// How many reloads are asked for that have not begun.
    int waiting() {
        return asked.availablePermits();
    }

    /// Empty while it cannot be read: it may be on its way.
    private String digest() {
        try {
            return PipelineFile.digest(file);
        } catch (IOException _) {
            return "";
        }
    }
}
