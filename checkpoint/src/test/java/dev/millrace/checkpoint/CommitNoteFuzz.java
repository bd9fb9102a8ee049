package dev.millrace.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.fuzz.Draw;
import dev.millrace.fuzz.FuzzTarget;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/// Whatever stands beside an offset is a plan that was written there, or none; what was written is read back, and not
/// what was damaged within what its checksum tells for certain.
final class CommitNoteFuzz implements FuzzTarget {
    private static final int CRC_BYTES = 4;

    @Override
    public List<String> words() {
        return List.of("s1.", "t1.", "AAAA", "=", "-", "_");
    }

    @Override
    public void take(byte[] input) {
        var draw = new Draw(input);
        switch (draw.below(4)) {
            case 0 -> anyText(draw);
            case 1 -> anyBytes(draw);
            case 2 -> anyPlan(draw);
            default -> damagedPlan(draw);
        }
    }

    private static void anyText(Draw draw) {
        var offset = draw.number();
        var text = new String(draw.rest(), StandardCharsets.UTF_8);
        read(text, offset);
        read(PlanCodec.PREFIX + text, offset);
        read(CommitNote.PREFIX + text, offset);
    }

    private static CommitNote read(String text, long offset) {
        var note = CommitNote.read(text, offset);
        switch (note) {
            case CommitNote.Nothing() -> assertThat(text).isEmpty();
            case CommitNote.Of(var id) -> assertThat(CommitNote.of(id)).isEqualTo(text);
            case CommitNote.Planned(var plan) ->
                assertThat(PlanCodec.encode(plan, offset)).isEqualTo(text);
            case CommitNote.Unreadable(var why) -> {
                assertThat(why).isNotBlank();
                assertThat(text).startsWith(PlanCodec.PREFIX);
            }
            case CommitNote.Foreign() ->
                assertThat(text).doesNotStartWith(PlanCodec.PREFIX).isNotEmpty();
        }
        return note;
    }

    /// Under a version and a checksum that are right, so that what is between is looked at.
    private static void anyBytes(Draw draw) {
        var offset = draw.natural();
        var body = draw.rest();
        var bytes = new byte[1 + body.length + CRC_BYTES];
        bytes[0] = 1;
        System.arraycopy(body, 0, bytes, 1, body.length);
        var crc = new CRC32C();
        crc.update(bytes, 0, bytes.length - CRC_BYTES);
        crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, offset));
        ByteBuffer.wrap(bytes).putInt(bytes.length - CRC_BYTES, (int) crc.getValue());
        read(text(bytes), offset);
    }

    private static String text(byte[] bytes) {
        return PlanCodec.PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private record Beside(Plan plan, long offset) {
        String text() {
            return PlanCodec.encode(plan, offset);
        }
    }

    private static Beside plan(Draw draw) {
        var offset = draw.natural();
        var topic = draw.yes() ? TopicId.UNKNOWN : id(draw);
        var fingerprint = draw.number();
        var cluster = (int) draw.number();
        var tokens = new TreeMap<Integer, Long>();
        for (var left = draw.below(8); left > 0; left--) tokens.put((int) draw.number(), draw.number());
        var segments = new ArrayList<Segment>();
        var from = offset;
        for (var left = draw.below(70); left > 0 && from < Long.MAX_VALUE; left--) {
            var to = from + 1 + draw.natural() % (Long.MAX_VALUE - from);
            // A plan counts in kilobytes.
            var bytes = 1024 * (draw.natural() >>> 10);
            segments.add(new Segment(from, to, draw.natural(), bytes, draw.yes()));
            from = to;
        }
        return new Beside(new Plan(fingerprint, topic, cluster, tokens, segments), offset);
    }

    private static TopicId id(Draw draw) {
        var bytes = ByteBuffer.allocate(16).putLong(draw.number()).putLong(draw.number());
        return new TopicId(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array()));
    }

    private static void anyPlan(Draw draw) {
        var any = plan(draw);
        assertThat(read(any.text(), any.offset)).isEqualTo(new CommitNote.Planned(any.plan));
        var id = id(draw);
        assertThat(read(CommitNote.of(id), draw.number())).isEqualTo(new CommitNote.Of(id));
    }

    /// Up to three bits that are flipped, of texts of some kilobytes, this checksum always tells.
    private static void damagedPlan(Draw draw) {
        var bits = 1 + draw.below(3);
        var places = new int[bits];
        for (var i = 0; i < bits; i++) places[i] = draw.below(1 << 16);
        var any = plan(draw);
        var bytes = Base64.getUrlDecoder().decode(any.text().substring(PlanCodec.PREFIX.length()));
        var damaged = bytes.clone();
        for (var place : places) damaged[place / Byte.SIZE % bytes.length] ^= (byte) (1 << place % Byte.SIZE);
        var note = read(text(damaged), any.offset);
        if (ByteBuffer.wrap(damaged).equals(ByteBuffer.wrap(bytes)))
            assertThat(note).isEqualTo(new CommitNote.Planned(any.plan));
        else assertThat(note).isInstanceOf(CommitNote.Unreadable.class);
        if (any.offset > 0) assertThat(read(any.text(), any.offset - 1)).isInstanceOf(CommitNote.Unreadable.class);
    }
}
