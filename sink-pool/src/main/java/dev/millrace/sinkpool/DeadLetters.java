package dev.millrace.sinkpool;

import java.util.function.Consumer;

/// Where poison rows go, with confirmation.
///
/// Thread ownership: any shard worker.
public interface DeadLetters {
    /// A poison row, why it is one, and after how many refusals.
    record Letter(SealedBatch batch, RowRef row, Failure failure, int attempts) {
        public ShardEvent acknowledged() {
            return new ShardEvent.DeadLettered(batch.id(), row);
        }

        public ShardEvent failed(Failure why) {
            return new ShardEvent.DeadLetterFailed(batch.id(), row, why);
        }
    }

    /// Sends it until it is acknowledged, which is told once, from any thread. Never blocks; what fails in between is
    /// told
    /// too. The row's bytes stay as they are until then.
    void send(Letter letter, Consumer<ShardEvent> tell);

    /// For pools whose policy sends nothing there.
    static DeadLetters none() {
        return (letter, _) -> {
            throw new IllegalStateException("no dead-letter topic, and a dead letter of " + letter.row());
        };
    }
}
