package dev.millrace.sinkpool;

/// Writes to one replica of one shard.
///
/// `write` and `ping` run on a virtual thread of their own, several at a time; they may block, must end soon
/// after their cancel hook ran, and may throw anything: a `Throwable` is `Unavailable` and may have stored. A
/// writer never retries, and reads every answer within bounds.
public interface SinkWriter extends AutoCloseable {
    WriteOutcome write(WriteCall call) throws Exception;

    /// Asks over a fresh connection whether the replica would take a write; `Written(0, 0)` if so. Writes nothing.
    WriteOutcome ping(PingCall call) throws Exception;

    @Override
    void close();
}
