package dev.millrace.cli.proof;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/// Records numbered from 0, of which one in `every` is poison, at a random place among them: what each holds, and where
/// it lies.
///
/// The kinds take turns. Record `id` goes to partition `id % partitions`, so its offset is
/// `id / partitions`; the key decides the shard. Each record is a pure function of its number.
///
/// @param firstMillis timestamp of the first record; each is a millisecond younger
record PoisonMix(int rows, int partitions, int every, List<PoisonKind> kinds, long seed, long firstMillis) {
    PoisonMix {
        kinds = List.copyOf(kinds);
    }

    /// What is wrong with it; null for a healthy one.
    @Nullable
    PoisonKind kind(int id) {
        var block = id / every;
        if (block == rows / every) return null;
        var place = new SplittableRandom(seed + block).nextInt(every);
        return id % every == place ? kinds.get(block % kinds.size()) : null;
    }

    List<Integer> poison() {
        var ids = new ArrayList<Integer>();
        for (var id = 0; id < rows; id++) if (kind(id) != null) ids.add(id);
        return ids;
    }

    ProducerRecord<byte[], byte[]> record(String topic, int id) {
        var kind = kind(id);
        var text = text(id);
        var value = kind == null
                ? "{\"id\":" + id + ",\"text\":\"" + text + "\",\"kind\":" + id % Shelves.KINDS + "}"
                : kind.value(Integer.toString(id), text);
        return new ProducerRecord<>(
                topic,
                id % partitions,
                firstMillis + id,
                key(id, kind != null),
                value == null ? null : value.getBytes(StandardCharsets.UTF_8),
                headers(id, kind != null));
    }

    /// The MD5 of the number's digits, which the database can tell too.
    static String text(int id) {
        try {
            var digest = MessageDigest.getInstance("MD5");
            return HexFormat.of().formatHex(digest.digest(Integer.toString(id).getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private byte @Nullable [] key(int id, boolean poison) {
        if (id % 7 == 0) return null;
        // Of poison, keys that are no text either.
        return poison && id % 2 == 0
                ? BigInteger.valueOf(id)
                        .multiply(BigInteger.valueOf(-0x1234567L))
                        .toByteArray()
                : ("key-" + id).getBytes(StandardCharsets.US_ASCII);
    }

    private static List<Header> headers(int id, boolean poison) {
        if (!poison) return id % 5 == 0 ? List.of(header("trace", new byte[] {1, 2, 3})) : List.of();
        return List.of(
                header("trace", new byte[] {0, -1, (byte) id, 10, 13}),
                header("größe", "ü".getBytes(StandardCharsets.UTF_8)),
                header("trace", new byte[] {0, -1, (byte) id, 10, 13}),
                header("empty", new byte[0]),
                header("none", null),
                // Begins like ours, and is not.
                header("millrace-of-theirs", new byte[] {7}),
                header("trace", new byte[] {42}));
    }

    private static Header header(String name, byte @Nullable [] value) {
        return new RecordHeader(name, value);
    }

    /// Of the record at this place.
    int id(int partition, long offset) {
        return Math.toIntExact(offset * partitions + partition);
    }
}
