package dev.millrace.cli;

import dev.millrace.config.LoggingConfig;
import dev.millrace.lab.BrokerProcess;
import dev.millrace.lab.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// A small pipeline from its start to its drain, in this JVM, for `-XX:AOTCacheOutput`: the JVM records which classes
/// a run takes, and `millrace run` finds them loaded and linked. The launcher does that once, behind its build.
///
/// Ends by returning: a JVM that halts, as [Main]'s does, writes no cache.
final class TrainingRun {
    private static final String NAME = "training";
    private static final int ROWS = 20_000;
    private static final int PARTITIONS = 2;
    private static final long LOOK_NANOS = 50_000_000L;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private TrainingRun() {}

    public static void main(String[] arguments) throws IOException {
        Logs.configure(LoggingConfig.Format.TEXT, LoggingConfig.Level.INFO);
        var file = Files.createTempFile("millrace-training", ".yaml");
        try (var broker = BrokerProcess.launch();
                var topics = new Topics(broker.bootstrapServers())) {
            topics.create(NAME, PARTITIONS);
            topics.produce(NAME, 1, ROWS);
            write(file, broker.bootstrapServers());
            Thread.ofPlatform().daemon().name("training-stop").start(() -> stopWhenCommitted(topics));
            var code = Main.command().execute("run", file.toString());
            if (code != 0) throw new IllegalStateException("the run ended with " + code);
        } finally {
            Files.delete(file);
        }
    }

    /// The last resort of its drain, which halts, is further away than any JVM takes to write its cache.
    private static void write(Path file, String bootstrapServers) throws IOException {
        Files.writeString(file, """
                pipeline:
                  name: training
                source:
                  kafka:
                    bootstrap_servers: %s
                    topics: [training]
                    group_id: training
                    on_no_offset: earliest
                format:
                  json: {}
                sinks:
                  hole:
                    blackhole: {}
                    batch: { linger: 100ms }
                    shards:
                      s0: [blackhole:s0]
                      s1: [blackhole:s1]
                checkpoint:
                  interval: 500ms
                drain:
                  timeout: 10m
                admin:
                  listen: 127.0.0.1:0
                """.formatted(bootstrapServers));
    }

    private static void stopWhenCommitted(Topics topics) {
        try {
            var until = System.nanoTime() + PATIENCE_NANOS;
            while (committed(topics) < ROWS && System.nanoTime() - until < 0) LockSupport.parkNanos(LOOK_NANOS);
        } finally {
            Signals.raise("TERM"); // whatever went wrong: the launcher waits for its end
        }
    }

    private static long committed(Topics topics) {
        return topics.committed(NAME).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }
}
