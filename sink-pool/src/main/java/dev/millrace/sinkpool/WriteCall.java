package dev.millrace.sinkpool;

/// One attempt, as a writer sees it. It has no acknowledgement in it.
public interface WriteCall {
    /// The batch, for log lines; what is sent is [#rows].
    SealedBatch batch();

    BatchRows rows();

    Token token();

    /// An earlier attempt of these rows, alone or among others, ended unknown: some of them may be
    /// stored already.
    boolean mayBeStored();

    /// The sink may have forgotten the token, and these rows may be stored: a writer that can read
    /// them back does so, and sends what is not there.
    default boolean expired() {
        return false;
    }

    /// When the attempt counts as failed, whether or not it has ended. A writer sets its own
    /// time-outs below it.
    long deadlineNanos();

    /// How to end this call from another thread at its deadline: close the socket, abort the
    /// connection. Registered before the first byte; run at once if the deadline has passed. The
    /// last one registered counts.
    void onCancel(Runnable end);
}
