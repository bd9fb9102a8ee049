package dev.millrace.sinkpool;

import dev.millrace.checkpoint.SourcePartition;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Where poison rows go, with confirmation.
///
/// Thread ownership: any shard worker and source thread.
public interface DeadLetters {
    /// A poison row: where it comes from, who does not take it and why, and after how many refusals. `shard` and
    /// `token` are null for a row that no shard has seen. `encoded` is the row as it would have been written, or
    /// else its value.
    record Letter(
            SourcePartition partition,
            long offset,
            String sink,
            @Nullable String shard,
            @Nullable String token,
            ByteBuffer encoded,
            Failure failure,
            int attempts) {}

    /// Who waits for a letter. Told from any thread; must not block.
    interface Done {
        /// The topic has it. Told once, and nothing after it.
        void acknowledged();

        /// The topic does not take it for now; it is sent again.
        void failed(Failure why);

        /// It was closed before the topic took it.
        void abandoned();
    }

    /// Sends it until it is acknowledged. Never blocks. The bytes of `encoded` stay as they are until then.
    void send(Letter letter, Done done);

    /// For pipelines whose policy sends nothing there.
    static DeadLetters none() {
        return (letter, _) -> {
            throw new IllegalStateException(
                    "no dead-letter topic, and a dead letter of " + letter.partition() + "@" + letter.offset());
        };
    }
}
