package dev.millrace.pipeline;

import dev.millrace.kafka.SourceView;
import org.jspecify.annotations.Nullable;

/// What a source has done so far: of a log, its view; of an intake, what was posted. One of the two is null.
record Account(@Nullable SourceView log, @Nullable IntakeView posted) {
    /// Of a pipeline that has not started.
    static final Account NONE = new Account(null, null);
}
