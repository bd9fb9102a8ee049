package dev.millrace.checkpoint;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// Writes a plan as the text that is committed beside an offset, and reads it back.
///
/// `s1.` and base64url of: version, flags, fingerprint (8 bytes), topic id (16, if known), cluster
/// (4), the newest tokens (count, then 4 + 8 bytes each), the segments (count, then length, cut
/// time as a difference to the one before, kilobytes, flags), and a CRC32C (4) over all of it and
/// the offset. Counts and lengths are varints. Segments count from the committed offset, which is
/// why a copy of the text beside another offset is none.
public final class PlanCodec {
    static final String PREFIX = "s1.";

    /// The most characters that one more segment takes, whatever it is.
    public static final int MOST_CHARACTERS_OF_A_SEGMENT = 44;

    /// No text that is longer was written here.
    private static final int LONGEST_TEXT = 65_536;

    private static final byte VERSION = 1;
    private static final int TOPIC_BYTES = 16;
    private static final byte HAS_TOPIC = 1;
    private static final byte SPLIT = 1;
    private static final int CRC_BYTES = 4;

    /// Version, flags, fingerprint, topic, cluster, two counts, checksum.
    private static final int HEAD_BYTES = 2 + 8 + TOPIC_BYTES + 4 + 2 * 5 + CRC_BYTES;

    private static final int TOKEN_BYTES = 4 + 8;
    private static final int LONGEST_VARINT = 10;

    private PlanCodec() {}

    /// How many characters a plan takes that has one segment and so many newest tokens, at the most.
    public static int leastCharacters(int newestTokens) {
        var bytes = HEAD_BYTES + newestTokens * TOKEN_BYTES;
        return PREFIX.length() + (bytes * 4 + 2) / 3 + MOST_CHARACTERS_OF_A_SEGMENT;
    }

    /// Whether a text beside an offset claims to be a plan.
    public static boolean isPlan(String text) {
        return text.startsWith(PREFIX);
    }

    /// Segments must begin at `offset`, where any are open.
    public static String encode(Plan plan, long offset) {
        var segments = plan.segments();
        if (!segments.isEmpty() && segments.getFirst().from() != offset)
            throw new IllegalArgumentException("a plan at " + offset + " begins with " + segments.getFirst());
        var most = HEAD_BYTES + plan.newestTokens().size() * TOKEN_BYTES + segments.size() * 4 * LONGEST_VARINT;
        var out = ByteBuffer.allocate(most);
        var topic = topicBytes(plan.topicId().text());
        out.put(VERSION).put(topic == null ? 0 : HAS_TOPIC).putLong(plan.fingerprint());
        if (topic != null) out.put(topic);
        out.putInt(plan.cluster());
        varint(out, plan.newestTokens().size());
        plan.newestTokens().forEach((shard, token) -> out.putInt(shard).putLong(token));
        varint(out, segments.size());
        var cut = 0L;
        for (var segment : segments) {
            varint(out, segment.to() - segment.from());
            varint(out, zigzag(segment.cutSeconds() - cut));
            varint(out, (segment.bytes() + 1023) / 1024);
            out.put(segment.split() ? SPLIT : 0);
            cut = segment.cutSeconds();
        }
        out.putInt(crc(out.array(), out.position(), offset));
        var bytes = new byte[out.position()];
        out.flip().get(bytes);
        return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /// Never throws: what can't be read is no plan, with the reason (I9).
    static CommitNote decode(String text, long offset) {
        if (text.length() > LONGEST_TEXT) return new CommitNote.Unreadable("it has " + text.length() + " characters");
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(text.substring(PREFIX.length()));
        } catch (IllegalArgumentException bad) {
            return new CommitNote.Unreadable("it is no base64: " + bad.getMessage());
        }
        if (bytes.length < 1 + CRC_BYTES) return new CommitNote.Unreadable("it has " + bytes.length + " bytes");
        if (bytes[0] != VERSION)
            return new CommitNote.Unreadable("its version is " + bytes[0] + ", and this reads " + VERSION);
        var in = ByteBuffer.wrap(bytes, 0, bytes.length - CRC_BYTES);
        if (ByteBuffer.wrap(bytes).getInt(bytes.length - CRC_BYTES) != crc(bytes, bytes.length - CRC_BYTES, offset))
            return new CommitNote.Unreadable("its checksum does not fit, or it was committed beside another offset");
        try {
            var plan = plan(in.position(1), offset);
            if (in.hasRemaining()) return new CommitNote.Unreadable(in.remaining() + " bytes are left over");
            // One plan has one text: flags that nobody knows here, or a number spelled in two ways, are somebody
            // else's.
            if (!encode(plan, offset).equals(text)) return new CommitNote.Unreadable("it is not spelled as a plan is");
            return new CommitNote.Planned(plan);
        } catch (BufferUnderflowException | IllegalArgumentException | ArithmeticException bad) {
            return new CommitNote.Unreadable("it is damaged: " + bad.getMessage());
        }
    }

    private static Plan plan(ByteBuffer in, long offset) {
        var flags = in.get();
        var fingerprint = in.getLong();
        var topicId = (flags & HAS_TOPIC) == 0 ? TopicId.UNKNOWN : topicId(in);
        var cluster = in.getInt();
        var tokens = new TreeMap<Integer, Long>();
        for (var left = count(in, TOKEN_BYTES); left > 0; left--) tokens.put(in.getInt(), in.getLong());
        var segments = new ArrayList<Segment>();
        var from = offset;
        var cut = 0L;
        for (var left = count(in, 4); left > 0; left--) {
            var to = Math.addExact(from, varint(in));
            cut = Math.addExact(cut, unzigzag(varint(in)));
            var bytes = Math.multiplyExact(varint(in), 1024L);
            segments.add(new Segment(from, to, cut, bytes, (in.get() & SPLIT) != 0));
            from = to;
        }
        return new Plan(fingerprint, topicId, cluster, tokens, segments);
    }

    private static long count(ByteBuffer in, int leastBytesEach) {
        var count = varint(in);
        if (count < 0 || count > in.remaining() / leastBytesEach)
            throw new IllegalArgumentException("a count of " + count + " in " + in.remaining() + " bytes");
        return count;
    }

    private static TopicId topicId(ByteBuffer in) {
        var bytes = new byte[TOPIC_BYTES];
        in.get(bytes);
        return new TopicId(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
    }

    /// The bytes of a topic id in the broker's spelling; null for anything else.
    static byte @Nullable [] topicBytes(String text) {
        if (text.length() != 22) return null;
        try {
            var bytes = Base64.getUrlDecoder().decode(text);
            var again = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
            return again.equals(text) ? bytes : null;
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    private static int crc(byte[] bytes, int length, long offset) {
        var crc = new CRC32C();
        crc.update(bytes, 0, length);
        crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, offset));
        return (int) crc.getValue();
    }

    private static void varint(ByteBuffer out, long value) {
        var left = value;
        while ((left & ~0x7FL) != 0) {
            out.put((byte) (left | 0x80));
            left >>>= 7;
        }
        out.put((byte) left);
    }

    private static long varint(ByteBuffer in) {
        var value = 0L;
        for (var shift = 0; shift < 70; shift += 7) {
            var b = in.get();
            value |= (b & 0x7FL) << shift;
            if (b >= 0) return value;
        }
        throw new IllegalArgumentException("a number has no end");
    }

    private static long zigzag(long value) {
        return value << 1 ^ value >> 63;
    }

    private static long unzigzag(long value) {
        return value >>> 1 ^ -(value & 1);
    }
}
