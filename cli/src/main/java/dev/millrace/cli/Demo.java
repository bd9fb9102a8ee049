package dev.millrace.cli;

import dev.millrace.config.Configuration;
import dev.millrace.config.ReadResult;
import dev.millrace.pipeline.Pipeline;
import dev.millrace.pipeline.Progress;
import dev.millrace.pipeline.ReplicaChange;
import dev.millrace.pipeline.StartFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// The demo: produce, cut, bring back, drain, compare. Ends with 0 if the store holds what was produced,
/// else with
/// 1.
///
/// Thread ownership: the command's thread; changes of replicas come from shard workers.
final class Demo {
    /// What the orders go to.
    enum Sink {
        POSTGRES("a PostgreSQL server"),
        CLICKHOUSE("two ClickHouse engines");

        private final String parts;

        Sink(String parts) {
            this.parts = parts;
        }

        private DemoStore launch() {
            return switch (this) {
                case POSTGRES -> new DemoPostgres();
                case CLICKHOUSE -> new DemoClickHouse();
            };
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final double CUT_AT = 0.4;
    private static final int DIFFERENT = 1;
    private static final long LOOK_MILLIS = 50;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final int events;
    private final int rate;
    private final long seed;
    private final boolean keep;
    private final Sink sink;
    private final ConcurrentLinkedQueue<ReplicaChange> changes = new ConcurrentLinkedQueue<>();
    private final CountDownLatch interrupted = new CountDownLatch(1);
    private final Screen screen = new Screen(System.out, Screen.onTerminal());

    Demo(Sink sink, int events, int rate, long seed, boolean keep) {
        this.sink = sink;
        this.events = events;
        this.rate = rate;
        this.seed = seed;
        this.keep = keep;
    }

    int run() throws IOException, InterruptedException {
        Signals.handle(_ -> interrupted.countDown(), "TERM", "INT");
        screen.line("starting a Kafka broker and " + sink.parts);
        try (var store = sink.launch();
                var parts = new DemoParts(store)) {
            var file = parts.writePipelineFile();
            try {
                var code = run(parts, file);
                if (keep) keepUntilInterrupted(parts, file);
                return code;
            } finally {
                if (!keep) Files.deleteIfExists(file);
            }
        }
    }

    private int run(DemoParts parts, Path file) throws IOException, InterruptedException {
        if (!(Configuration.read(file, System::getenv) instanceof ReadResult.Loaded(var config, var _))) {
            PipelineFile.read(file);
            return DIFFERENT;
        }
        var pipeline = Pipeline.of(config, Version.number());
        var cut = new DemoCut(parts.store(), parts.victimEndpoint());
        pipeline.whenReplicaChanges(change -> {
            cut.saw(change);
            changes.add(change);
        });
        try (var orders = new DemoOrders(parts.bootstrapServers(), events, rate, seed)) {
            try {
                pipeline.start();
            } catch (StartFailure failure) {
                System.err.println(failure.getMessage());
                pipeline.close();
                return DIFFERENT;
            }
            screen.line("%,d orders, %,d a second, into two shards of two replicas each".formatted(events, rate));
            orders.start();
            var why = watch(pipeline, orders, cut, parts);
            pipeline.stop(why);
        }
        var report = pipeline.awaitEnd();
        pipeline.close();
        screen.line(report.json());
        return compare(parts, report.rows().duplicate(), Boolean.TRUE.equals(report.drained()), cut);
    }

    /// Returns when all is durable and the replica is back, and says so; or says why it gave up.
    private String watch(Pipeline pipeline, DemoOrders orders, DemoCut cut, DemoParts parts)
            throws InterruptedException {
        var giveUp = System.nanoTime() + PATIENCE.toNanos() + events * NANOS_PER_SECOND / rate;
        while (true) {
            var now = System.nanoTime();
            var progress = pipeline.progress();
            var told = cut.step(progress.delivered() >= CUT_AT * events, now);
            if (!told.isEmpty()) screen.line(parts.nameOf(parts.victimEndpoint()) + " " + told);
            tellChanges(parts);
            screen.progress(progressLine(progress, parts), now);
            var lag = progress.lag();
            if (cut.seenThrough()) orders.hurry();
            var all = progress.delivered() >= events && lag != null && lag == 0;
            if (orders.done() && all && cut.seenThrough()) return "demo is done";
            if (orders.failure() != null) return "demo could not produce: " + orders.failure();
            if (pipeline.ended()) return "pipeline ended by itself";
            if (now - giveUp > 0) return "demo gave up waiting";
            if (interrupted.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) return "demo was interrupted";
        }
    }

    private void tellChanges(DemoParts parts) {
        for (var change = changes.poll(); change != null; change = changes.poll()) {
            var reason = change.reason();
            screen.line(parts.nameOf(change.endpoint()) + " breaker " + word(change.phase())
                    + (reason == null ? "" : ": " + reason));
        }
    }

    private static String word(Progress.Phase phase) {
        return phase.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String progressLine(Progress progress, DemoParts parts) {
        var lag = progress.lag();
        var out = new StringBuilder("in %,d  durable %,d  lag %s"
                .formatted(progress.polled(), progress.delivered(), lag == null ? "?" : "%,d".formatted(lag)));
        for (var shard : progress.shards()) {
            out.append("  ").append(shard.name()).append(" [");
            for (var replica : shard.replicas()) {
                if (out.charAt(out.length() - 1) != '[') out.append("  ");
                var name = parts.nameOf(replica.endpoint());
                out.append(name.substring(name.lastIndexOf(' ') + 1))
                        .append(' ')
                        .append(word(replica.phase()));
                if (replica.phase() == Progress.Phase.OPEN)
                    out.append(" %.1fs".formatted(replica.opensForNanos() / (double) NANOS_PER_SECOND));
            }
            out.append(']');
        }
        return out.toString();
    }

    private int compare(DemoParts parts, long duplicates, boolean drained, DemoCut cut) {
        var stored = parts.store().rowsStored();
        screen.line(parts.store().told(events, stored, duplicates));
        if (!drained) screen.line("the report says that something taken was left undone");
        if (!cut.seenThrough()) screen.line("the replica was not seen open, half-open and closed again");
        return stored == events && drained && cut.seenThrough() ? 0 : DIFFERENT;
    }

    private void keepUntilInterrupted(DemoParts parts, Path file) throws InterruptedException {
        screen.line("kept until Ctrl-C: pipeline file " + file + ", broker " + parts.bootstrapServers() + ", stores "
                + String.join(" ", parts.store().addresses()));
        interrupted.await();
    }
}
