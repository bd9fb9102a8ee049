package dev.millrace.pipeline;

import dev.millrace.kafka.KafkaSource;
import dev.millrace.kafka.StartRefused;
import dev.millrace.sinkpool.Finding;
import java.time.Duration;
import java.util.List;

/// Rows that are read from Kafka.
///
/// Thread ownership: as [Source] says.
final class KafkaRows implements Source {
    /// What the last commit gets where the workers used the budget up.
    private static final Duration LAST_COMMIT = Duration.ofMillis(200);

    /// After the deadline and before the process's last resort: that commit, the half second of the
    /// backlog, and leaving.
    private static final Duration LEAVE_GRACE = Duration.ofMillis(850);

    private final Parts parts;
    private final KafkaSource source;

    KafkaRows(Parts parts, Pipeline of) throws StartFailure {
        var config = parts.config;
        this.parts = parts;
        try {
            this.source = new KafkaSource(
                    Wiring.source(config).planning(parts.planning),
                    parts.sinks.stream().map(sink -> sink.feed(config)).toList(),
                    parts.pool(),
                    parts.advisory.stream().map(sink -> sink.feed(config)).toList(),
                    new SourceNews(parts, of),
                    parts.letters(),
                    parts.handles,
                    parts.clock);
        } catch (IllegalArgumentException wrong) {
            throw new StartFailure(ExitCode.BAD_CONFIGURATION, String.valueOf(wrong.getMessage()));
        }
    }

    @Override
    public boolean start() throws StartFailure {
        try {
            return source.start();
        } catch (StartRefused refused) {
            throw failure(refused);
        }
    }

    static StartFailure failure(StartRefused refused) {
        var fatal = refused.exitCode() == ExitCode.FATAL.code();
        return new StartFailure(
                fatal ? ExitCode.FATAL : ExitCode.BAD_CONFIGURATION, String.valueOf(refused.getMessage()));
    }

    @Override
    public String tells() {
        var kafka = parts.config.kafka();
        return "reading " + kafka.topics() + " as " + kafka.groupId();
    }

    @Override
    public void stop(long deadlineNanos) {
        source.stop(deadlineNanos);
    }

    /// Commits what became durable, reads the backlog, leaves the group.
    @Override
    public boolean leave(long deadlineNanos) throws InterruptedException {
        source.finish(Math.max(deadlineNanos, parts.clock.nanoTime() + LAST_COMMIT.toNanos()));
        return source.awaitClosed(deadlineNanos + LEAVE_GRACE.toNanos());
    }

    @Override
    public void layoutChanged(String sink) {
        source.layoutChanged(sink);
    }

    @Override
    public List<Finding> leftovers(long untilNanos) {
        return source.leftovers(untilNanos);
    }

    @Override
    public Account account() {
        return new Account(source.view(), null);
    }

    @Override
    public void close() {
        source.close();
    }
}
