package dev.millrace.intake;

import dev.millrace.sinkpool.Refusal;

/// Where the rows of one sink go in.
///
/// Thread ownership: shared.
public interface Inlet {
    /// Slots for so many rows, or why there are none. Never waits.
    Room reserve(int rows);

    /// Rows that it holds at most.
    long maxRows();

    /// Bytes that it holds at most.
    long maxBytes();

    /// Items that have ended since it was made, however they did.
    long ended();

    sealed interface Room permits None, Held {}

    record None(Refusal why) implements Room {}

    /// Slots that are held until each is spent, or all are given back.
    non-sealed interface Held extends Room, AutoCloseable {
        /// Spends one. False if the sink takes nothing any more: the row is lost, and counted.
        boolean stage(IntakeRow row);

        @Override
        void close();
    }
}
