package dev.millrace.kafka;

import dev.millrace.sinkpool.DeadLetters.Done;
import dev.millrace.sinkpool.DeadLetters.Letter;
import dev.millrace.sinkpool.Failure;

/// One dead letter on its way, and who waits for it.
///
/// Invariant: it ends once, acknowledged or abandoned, and nothing is told after that.
///
/// Thread ownership: how it ends, any thread; the rest goes with it from the thread that failed it to the one that
/// sends it again.
final class Sending {
    final Letter letter;
    private final Done done;
    private boolean ended;

    /// How often it failed, and when it is tried again.
    int failures;

    long dueNanos;

    /// The topic does not take the record's own timestamp.
    boolean withoutTimestamp;

    Sending(Letter letter, Done done) {
        this.letter = letter;
        this.done = done;
    }

    /// Returns whether this call ended it.
    synchronized boolean acknowledged() {
        if (ended) return false;
        ended = true;
        done.acknowledged();
        return true;
    }

    /// Returns whether this call ended it.
    synchronized boolean abandoned() {
        if (ended) return false;
        ended = true;
        done.abandoned();
        return true;
    }

    synchronized void failed(Failure why) {
        if (!ended) done.failed(why);
    }

    synchronized boolean ended() {
        return ended;
    }

    @Override
    public String toString() {
        return letter.partition() + "@" + letter.offset();
    }
}
