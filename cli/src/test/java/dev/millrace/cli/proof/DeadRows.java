package dev.millrace.cli.proof;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.Topics;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/// What a dead-letter topic holds of a [PoisonMix].
///
/// @param repeats letters beyond the first of their record
record DeadRows(BitSet ids, int repeats) {
    /// Reads the topic. Fails at a letter of a healthy record, and at one that is not its record byte for
    /// byte.
    static DeadRows read(Topics topics, String dead, PoisonMix mix, String topic, FireStore store) {
        var ids = new BitSet();
        var repeats = 0;
        for (var letter : topics.readAll(dead)) {
            var id = mix.id(Integer.parseInt(ours(letter, "partition")), Long.parseLong(ours(letter, "offset")));
            assertThat(ours(letter, "topic")).isEqualTo(topic);
            isThere(letter, mix.kind(id), mix.record(topic, id));
            assertThat(ours(letter, "code")).as("%s", mix.kind(id)).isEqualTo(store.code(requireNonNull(mix.kind(id))));
            if (ids.get(id)) repeats++;
            ids.set(id);
        }
        return new DeadRows(ids, repeats);
    }

    private static void isThere(
            ConsumerRecord<byte[], byte[]> letter, @Nullable PoisonKind kind, ProducerRecord<byte[], byte[]> record) {
        if (kind == null) throw new AssertionError("set aside and healthy: " + record + " as " + letter);
        assertThat(letter.headers().lastHeader("millrace-original"))
                .as("%s", kind)
                .isNull();
        assertThat(letter.headers().lastHeader("millrace-shard") != null)
                .as("a shard has seen it: %s", kind)
                .isEqualTo(kind.byServer());
        assertThat(letter.key()).as("key of %s", record).isEqualTo(record.key());
        assertThat(letter.value()).as("value of %s", record).isEqualTo(record.value());
        assertThat(letter.timestamp()).as("timestamp of %s", record).isEqualTo(record.timestamp());
        var headers = List.of(letter.headers().toArray());
        var theirs = List.of(record.headers().toArray());
        assertThat(headers.subList(0, theirs.size()))
                .as("headers of %s", record)
                .isEqualTo(theirs);
        assertThat(headers.subList(theirs.size(), headers.size()))
                .extracting(Header::key)
                .doesNotHaveDuplicates()
                .allMatch(name -> name.startsWith("millrace-"));
    }

    private static String ours(ConsumerRecord<byte[], byte[]> letter, String name) {
        var header = letter.headers().lastHeader("millrace-" + name);
        if (header == null) throw new AssertionError("no header millrace-" + name + " in " + letter);
        return new String(header.value(), StandardCharsets.UTF_8);
    }
}
