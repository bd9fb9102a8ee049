package dev.millrace.cli.proof;

import dev.millrace.lab.Topics;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/// A dead-letter topic as a reader of its documentation sees it.
///
/// Thread ownership: the test's thread.
record LetterBox(Topics topics, String topic) {
    /// One letter: the record it is, and what Millrace says of it.
    record Letter(ConsumerRecord<byte[], byte[]> record) {
        /// One of Millrace's own headers, or "none".
        String said(String name) {
            var header = record.headers().lastHeader("millrace-" + name);
            return header == null ? "none" : new String(header.value(), StandardCharsets.UTF_8);
        }

        /// Where the record stood, as `dlq list` writes it.
        String place() {
            return said("topic") + "-" + said("partition") + "@" + said("offset");
        }

        String code() {
            return said("code");
        }

        List<String> headerNames() {
            return Arrays.stream(record.headers().toArray()).map(Header::key).toList();
        }

        /// Those that came with the record.
        List<Header> others() {
            return Arrays.stream(record.headers().toArray())
                    .filter(header -> !header.key().startsWith("millrace-"))
                    .toList();
        }

        /// Key, value, timestamp and headers are the original's, byte for byte.
        boolean is(ConsumerRecord<byte[], byte[]> original) {
            return Arrays.equals(record.key(), original.key())
                    && Arrays.equals(record.value(), original.value())
                    && record.timestamp() == original.timestamp()
                    && others().equals(Arrays.asList(original.headers().toArray()));
        }
    }

    List<Letter> letters() {
        return topics.readAll(topic).stream().map(Letter::new).toList();
    }

    List<Letter> letters(String code) {
        return letters().stream().filter(letter -> letter.code().equals(code)).toList();
    }
}
