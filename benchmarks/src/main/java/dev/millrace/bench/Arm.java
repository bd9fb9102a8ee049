package dev.millrace.bench;

/// One way to read a topic from its beginning to its end.
interface Arm {
    /// How the table names it.
    String title();

    Sums sums();

    /// Reads all of it once, on the calling thread or on threads of its own that have ended when this returns.
    Pass read() throws InterruptedException;

    /// What its sum is of.
    enum Sums {
        /// Every byte of every row, the newline among them.
        EVERY_BYTE,
        /// The lengths of the values: no byte is looked at.
        LENGTHS
    }
}
