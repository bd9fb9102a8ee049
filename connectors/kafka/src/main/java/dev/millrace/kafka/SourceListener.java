package dev.millrace.kafka;

/// Whom the source tells what concerns the whole pipeline. Called on source threads; must not block.
public interface SourceListener {
    /// After a stop was asked for: every member has handed over what it took and could encode. Told once.
    void inputFinished();

    /// The process has to end, with this code and this one line. The first that is told counts. The source goes on
    /// polling, and committing what becomes durable, until it is told to finish.
    void failed(int exitCode, String reason);
}
