package dev.millrace.intake;

import dev.millrace.sinkpool.Refusal;
import org.jspecify.annotations.Nullable;

/// What became of a body.
sealed interface Admitted {
    /// All its rows are taken in: `lines` of them, each once for each sink that takes its topic.
    record Whole(int lines, Outcome outcome) implements Admitted {}

    /// Nothing is in it.
    record Empty() implements Admitted {}

    /// This line can never be a row, so none is taken in.
    record Bad(int line, String why) implements Admitted {}

    /// The sink has no room for all of them, or one shard of it has none, so none is taken in.
    record Full(String sink, @Nullable String shard, Refusal why, int retrySeconds) implements Admitted {}

    /// The sink would not have room for so many at any time.
    record TooMany(String sink, long rows, long most) implements Admitted {}

    /// Its rows take more bytes, as the sink has them, than one request may.
    record TooLarge(String sink, long most) implements Admitted {}

    /// The sink's table can't take this line as it is now, though it could before.
    record NotNow(String sink, int line, String why) implements Admitted {}
}
