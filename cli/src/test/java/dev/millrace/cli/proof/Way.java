package dev.millrace.cli.proof;

import java.util.SplittableRandom;

/// A way to a store, which can be cut in more than one manner.
///
/// Thread ownership: that of [Cuts], which heals what it cut.
interface Way {
    /// Cuts it in a manner of its choice, and returns the manner's name.
    String cut(SplittableRandom chance) throws InterruptedException;

    void heal();
}
