package dev.millrace.postgres;

import dev.millrace.sinkpool.Token;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.regex.Pattern;

/// What names rows of a batch in the table of tokens: 16 bytes of the batch, and, for a part, the
/// places of its first row and of the one after its last, 4 bytes each.
///
/// So the keys of a batch and of all its parts stand side by side, between [#first] and [#last], and a
/// key tells its rows: whatever parts a batch came in before, what is missing of it is known (EO-7).
final class TokenKey {
    private static final int BATCH = 16;
    private static final int PART = BATCH + 2 * Integer.BYTES;
    private static final Pattern HEX = Pattern.compile("[0-9a-f]{32}");

    private final byte[] batch;
    private final int from;
    private final int to;

    private TokenKey(byte[] batch, int from, int to) {
        this.batch = batch;
        this.from = from;
        this.to = to;
    }

    /// The 32 hex digits of a batch are taken as they are; of any other text, its hash.
    static TokenKey of(Token token) {
        return new TokenKey(batch(token.batch()), token.fromRow(), token.toRow());
    }

    private static byte[] batch(String text) {
        if (HEX.matcher(text).matches()) return HexFormat.of().parseHex(text);
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return Arrays.copyOf(hash, BATCH);
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every JDK has SHA-256", missing);
        }
    }

    byte[] bytes() {
        if (to == 0) return batch.clone();
        return ByteBuffer.allocate(PART).put(batch).putInt(from).putInt(to).array();
    }

    /// What writers of one batch, whole or in parts, lock against each other.
    long lock() {
        return ByteBuffer.wrap(batch).getLong();
    }

    /// No key of this batch, or of its parts, is before it.
    byte[] first() {
        return batch.clone();
    }

    /// No key of this batch, or of its parts, is after it.
    byte[] last() {
        return lastOf(batch);
    }

    /// No key that begins with these bytes is after it.
    static byte[] lastOf(byte[] prefix) {
        var last = Arrays.copyOf(prefix, PART);
        Arrays.fill(last, prefix.length, PART, (byte) 0xff);
        return last;
    }

    /// Takes the rows that this key of the same batch names out of `missing`, which counts from
    /// the first row of this token's.
    void known(byte[] key, BitSet missing) {
        if (key.length == BATCH) {
            missing.clear();
            return;
        }
        if (key.length != PART)
            throw new IllegalStateException("a token of " + key.length + " bytes is not of this version's making");
        var places = ByteBuffer.wrap(key, BATCH, 2 * Integer.BYTES);
        var first = Math.max(0, places.getInt() - from);
        var after = places.getInt() - from;
        if (first < after) missing.clear(first, after);
    }
}
