package dev.millrace.pipeline;

import dev.millrace.config.HttpSourceConfig;
import dev.millrace.config.PipelineConfig;
import dev.millrace.sinkpool.Guarantee;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What is promised of each sink that is waited for, by what it has told so far.
///
/// Thread ownership: shared.
final class Promises {
    private final PipelineConfig config;
    private final List<SinkPart> sinks;
    private volatile Levels levels;

    Promises(PipelineConfig config, List<SinkPart> sinks) {
        this.config = config;
        this.sinks = sinks;
        this.levels = new Levels(
                config.delivery(),
                config.require(),
                config.source() instanceof HttpSourceConfig
                        ? "rows that are posted are in no log to be read again, so no plan outlives the run"
                        : null);
    }

    Levels levels() {
        return levels;
    }

    Guarantee of(SinkPart sink) {
        return sink.guarantee(levels);
    }

    /// By the sinks' names, in the file's order.
    Map<String, Guarantee> all() {
        var all = new LinkedHashMap<String, Guarantee>();
        for (var sink : sinks) all.put(sink.name(), of(sink));
        return all;
    }

    /// From now on less is promised: what stands beside a committed offset is not kept.
    void plansNotKept() {
        levels = new Levels(
                config.delivery(),
                config.require(),
                "the broker, or a proxy before it, keeps no text beside a committed offset, so no plan outlives"
                        + " the run: use one that keeps it, or delivery: at_least_once");
    }
}
