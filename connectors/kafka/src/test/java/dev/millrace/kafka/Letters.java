package dev.millrace.kafka;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.DeadLetters.Letter;
import dev.millrace.sinkpool.Failure;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Dead letters by hand, and ears for what becomes of each.
final class Letters {
    private static final TopicId ID = new TopicId("aaaaaaaaaaaaaaaaaaaaaa");

    /// All that one letter was told.
    ///
    /// Thread ownership: shared.
    static final class Ear implements DeadLetters.Done {
        private final List<String> heard = new ArrayList<>();

        @Override
        public synchronized void acknowledged() {
            heard.add("acknowledged");
        }

        @Override
        public synchronized void failed(Failure why) {
            heard.add(why.code());
        }

        @Override
        public synchronized void abandoned() {
            heard.add("abandoned");
        }

        synchronized List<String> heard() {
            return List.copyOf(heard);
        }

        boolean acked() {
            return heard().contains("acknowledged");
        }
    }

    private Letters() {}

    static Letter of(String topic, int partition, long offset) {
        return of(topic, partition, offset, "it is 7");
    }

    static Letter of(String topic, int partition, long offset, String reason) {
        return new Letter(
                new SourcePartition(topic, ID, partition),
                offset,
                "orders_db",
                "blue",
                "token-1",
                ByteBuffer.wrap(("row " + offset).getBytes(StandardCharsets.UTF_8)),
                new Failure("22P02", reason, false),
                2);
    }

    /// Sends one, and returns who hears of it.
    static Ear send(DeadLetterTopic to, Letter letter) {
        var ear = new Ear();
        to.send(letter, ear);
        return ear;
    }
}
