package dev.millrace.pipeline;

import dev.millrace.config.PipelineConfig;
import dev.millrace.kafka.CommittedOffset;
import dev.millrace.kafka.GroupOffsets;
import dev.millrace.kafka.StartRefused;
import dev.millrace.sinkpool.NanoClock;
import java.util.List;

/// What the group of a pipeline's file has committed, whether it runs or not.
///
/// Thread ownership: the thread that asks.
public final class Offsets {
    private Offsets() {}

    /// In the order of topics and partitions. Throws with one line and the exit code.
    public static List<CommittedOffset> of(PipelineConfig config) throws StartFailure {
        try {
            return new GroupOffsets(Wiring.source(config), NanoClock.SYSTEM).read();
        } catch (StartRefused refused) {
            throw failure(refused);
        }
    }

    static StartFailure failure(StartRefused refused) {
        var code =
                refused.exitCode() == ExitCode.BAD_CONFIGURATION.code() ? ExitCode.BAD_CONFIGURATION : ExitCode.FATAL;
        return new StartFailure(code, String.valueOf(refused.getMessage()));
    }
}
