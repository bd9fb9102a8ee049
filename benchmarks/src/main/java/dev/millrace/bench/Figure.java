package dev.millrace.bench;

import java.util.Locale;

/// What is counted and timed in one reading. Times of processors are from the first poll that gave
/// records to the last row at the sink, like the clock's.
enum Figure {
    /// Rows that the sink has taken, repeats that it recognised not among them.
    ROWS,
    /// Rows that the sink said it had already.
    REPEATED,
    /// Rows that a dead-letter topic has taken.
    DEAD_LETTERED,
    /// All bytes that the sink or the loop has read, each as an unsigned number; 0 where nobody read them.
    SUM,
    /// Bytes of rows as they were handed to the sink.
    ROW_BYTES,
    WALL_NANOS,
    /// Of the process that reads, all of it.
    CPU_NANOS,
    /// Of the thread that polls; part of `CPU_NANOS`.
    SOURCE_NANOS,
    /// Of the threads that compile for it, in hundredths of a second; part of `CPU_NANOS`, and gone in a process that
    /// has run for some minutes. 0 where the system does not tell.
    COMPILER_NANOS,
    BROKER_NANOS,
    /// Of the processes of the store.
    SINK_NANOS,
    /// Of the suite's other processes, which have nothing to do.
    IDLE_NANOS,
    /// Of all that ran on the machine.
    MACHINE_NANOS,
    /// By the process that reads.
    ALLOCATED_BYTES,
    COLLECTIONS,
    PAUSE_NANOS;

    String column() {
        return name().toLowerCase(Locale.ROOT);
    }
}
