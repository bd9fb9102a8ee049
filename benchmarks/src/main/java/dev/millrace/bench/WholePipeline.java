package dev.millrace.bench;

import dev.millrace.config.Configuration;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.ReadResult;
import dev.millrace.lab.Topics;
import dev.millrace.pipeline.BlackholeSink;
import dev.millrace.pipeline.DrainReport;
import dev.millrace.pipeline.Pipeline;
import dev.millrace.pipeline.StartFailure;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The pipeline that `millrace run` makes of a file with defaults: format `raw`, four shards of one `blackhole`. Each
/// reading is a new group, which begins at the beginning.
///
/// Its end is found by looking: a thread looks once a millisecond, stops the pipeline when all is polled, so that what
/// is open is sealed, and stops the time when the sink has read all.
///
/// Thread ownership: the bench's thread.
final class WholePipeline implements Arm {
    private static final String SINK = "hole";
    private static final long LOOK_NANOS = 1_000_000L;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

    private final String bootstrapServers;
    private final BenchTopic topic;
    private final Stopwatch watch;
    private int runs;

    WholePipeline(String bootstrapServers, BenchTopic topic, Stopwatch watch) {
        this.bootstrapServers = bootstrapServers;
        this.topic = topic;
        this.watch = watch;
    }

    @Override
    public String title() {
        return "(b) whole pipeline";
    }

    @Override
    public Sums sums() {
        return Sums.EVERY_BYTE;
    }

    @Override
    public Pass read() throws InterruptedException {
        var group = "bench-" + topic.name() + "-" + ++runs;
        refuseUsed(group);
        watch.reset();
        var pipeline = Pipeline.of(config(group), "bench");
        var looking = new Looking(pipeline);
        try {
            var looker = Thread.ofPlatform().daemon().name("bench-look").start(looking);
            pipeline.start();
            var report = pipeline.awaitEnd();
            looker.join();
            check(report);
            return looking.pass();
        } catch (StartFailure failure) {
            throw new BenchFailure("the pipeline did not start: " + failure.getMessage());
        } finally {
            pipeline.close();
        }
    }

    private void refuseUsed(String group) {
        try (var topics = new Topics(bootstrapServers)) {
            var committed = topics.committed(group);
            if (!committed.isEmpty())
                throw new BenchFailure("group " + group + " is not new, it committed " + committed);
        }
    }

    private PipelineConfig config(String group) {
        var file = """
                pipeline:
                  name: bench
                source:
                  kafka:
                    bootstrap_servers: %s
                    topics: [%s]
                    group_id: %s
                    on_no_offset: earliest
                format:
                  raw: {}
                sinks:
                  %s:
                    blackhole: {}
                    shards:
                      s0: [blackhole:s0]
                      s1: [blackhole:s1]
                      s2: [blackhole:s2]
                      s3: [blackhole:s3]
                admin:
                  listen: none
                """.formatted(bootstrapServers, topic.name(), group, SINK);
        return switch (Configuration.read("bench.yaml", file, _ -> null)) {
            case ReadResult.Loaded(var config, var _) -> config;
            case ReadResult.Refused(var problems) -> throw new BenchFailure("bench.yaml: " + problems);
        };
    }

    private void check(DrainReport report) {
        var rows = report.rows();
        if (report.exitCode() != 0 || rows.polled() != topic.records() || rows.delivered() != topic.records())
            throw new BenchFailure("the pipeline left something: " + report.json());
    }

    /// Looks at the pipeline until it delivered all, or did not in time.
    private final class Looking implements Runnable {
        private final Pipeline pipeline;
        private final BlackholeSink hole;
        private final AtomicReference<@Nullable Pass> pass = new AtomicReference<>();

        Looking(Pipeline pipeline) {
            this.pipeline = pipeline;
            this.hole = (BlackholeSink) pipeline.sink(SINK);
        }

        @Override
        public void run() {
            try {
                look(System.nanoTime() + PATIENCE_NANOS);
            } finally {
                pipeline.stop("the bench looked away");
            }
        }

        private void look(long giveUpNanos) {
            while (hole.rows() < topic.records()) {
                if (pipeline.ended() && !watch.begun()) return;
                if (System.nanoTime() - giveUpNanos > 0) return;
                var polled = pipeline.ended() ? 0 : pipeline.progress().polled();
                if (polled > 0 && !watch.begun()) watch.begin();
                if (polled >= topic.records()) pipeline.stop("all is polled");
                LockSupport.parkNanos(LOOK_NANOS);
            }
            pass.set(watch.end(hole.rows(), hole.sum()));
        }

        Pass pass() {
            var done = pass.get();
            if (done == null) throw new BenchFailure("the sink read " + hole.rows() + " of " + topic.records());
            return done;
        }
    }
}
