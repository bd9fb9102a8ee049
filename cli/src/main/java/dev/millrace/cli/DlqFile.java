package dev.millrace.cli;

import dev.millrace.config.LoggingConfig;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.Topics;
import dev.millrace.kafka.DeadLetterDesk;
import dev.millrace.pipeline.Pipeline;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// The dead letters that a pipeline's file leads to, and the topics that it reads.
record DlqFile(DeadLetterDesk desk, Topics reads) {
    /// Of the option --where.
    static final String WHERE = "only rows with this reason (the code), topic, partition, offset, sink, shard or"
            + " pipeline; where it is repeated, all have to hold";

    /// Null when there is something to mend, which has been told.
    static @Nullable DlqFile open(@Nullable Path file, BooleanSupplier stopped) {
        PipelineConfig config = file == null ? null : PipelineFile.readOfKafka(file);
        if (config == null) return null;
        Logs.configure(config, LoggingConfig.Level.ERROR);
        return new DlqFile(Pipeline.deadLetters(config, stopped), config.kafka().topics());
    }
}
