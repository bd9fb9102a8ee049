package dev.millrace.sinkpool;

/// One ping, as a writer sees it.
public interface PingCall {
    long deadlineNanos();

    /// As [WriteCall#onCancel].
    void onCancel(Runnable end);
}
