package dev.millrace.pipeline;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.kafka.SourceListener;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hands on what the source of a pipeline tells, and refuses topics that its sinks cannot go along with.
///
/// Thread ownership: the starting thread and source threads.
final class SourceNews implements SourceListener {
    private static final Logger LOG = LoggerFactory.getLogger(Pipeline.class);

    private final Parts parts;
    private final Pipeline of;

    SourceNews(Parts parts, Pipeline of) {
        this.parts = parts;
        this.of = of;
    }

    @Override
    public @Nullable String starts(Map<String, Integer> partitions) {
        var crowded = parts.keptTokens.tooMany(parts.config.checkpoint().metadataLimit());
        if (crowded != null) return crowded;
        var fetched = FetchBuffers.of(
                parts.config.kafka().properties(), parts.config.kafka().consumers(), partitions);
        if (fetched.large(Runtime.getRuntime().maxMemory()))
            LOG.atWarn().addKeyValue("event", "fetch_buffers_large").log("{}", fetched.line());
        for (var sink : parts.sinks) {
            var rate = sink.cutRate(partitions, parts.budget.maxBytes());
            if (rate == null) continue;
            if (rate.refusal() != null) return "sinks." + sink.name() + ": " + rate.refusal();
            LOG.atInfo()
                    .addKeyValue("event", "cuts")
                    .addKeyValue("sink", sink.name())
                    .log("{}", rate.line());
        }
        return null;
    }

    @Override
    public void plansNotKept() {
        parts.promises.plansNotKept();
        for (var sink : parts.sinks) {
            var found = parts.promises.of(sink);
            parts.events.tell("level_changed", sink.name(), found.level() + ": " + found.why(), Instant.now());
            LOG.atWarn()
                    .addKeyValue("event", "level_changed")
                    .addKeyValue("sink", sink.name())
                    .addKeyValue("level", found.level())
                    .log("{}", found.why());
            var refusal = parts.promises.levels().refusal(sink.name(), found);
            if (refusal != null) of.fault(refusal, ExitCode.BAD_CONFIGURATION);
        }
    }

    @Override
    public void newestTokens(SourcePartition partition, Map<Integer, Long> tokens) {
        parts.keptTokens.found(partition, tokens);
    }

    @Override
    public void inputFinished() {
        parts.shards.closeInput();
    }

    @Override
    public void failed(int exitCode, String reason) {
        LOG.atError().addKeyValue("event", "source_failed").log("{}", reason);
        parts.events.tell("source_failed", "", reason, Instant.now());
        of.fault(reason, exitCode == ExitCode.BAD_CONFIGURATION.code() ? ExitCode.BAD_CONFIGURATION : ExitCode.FATAL);
    }
}
