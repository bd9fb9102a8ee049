package dev.millrace.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/// What is read back of a plan is that plan, or nothing: whatever became of its text.
@Tag("EO-8")
@Tag("SRC-8")
final class PlanCodecTest {
    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    private record Beside(Plan plan, long offset) {
        String text() {
            return PlanCodec.encode(plan, offset);
        }
    }

    /// Any plan: small and huge numbers alike, with and without a topic, tokens and segments.
    private static Beside any(Random random) {
        var offset = number(random, 55);
        var tokens = new TreeMap<Integer, Long>();
        for (var i = random.nextInt(4); i > 0; i--) tokens.put(random.nextInt(), random.nextLong());
        var segments = new ArrayList<Segment>();
        var from = offset;
        for (var i = random.nextInt(70); i > 0; i--) {
            var to = from + 1 + number(random, 50);
            // Whole kilobytes: a plan tells no less than what the rows take.
            segments.add(new Segment(from, to, number(random, 40), 1024 * number(random, 40), random.nextBoolean()));
            from = to;
        }
        var topic = random.nextBoolean() ? TopicId.UNKNOWN : CommitNoteTest.topicId(random);
        return new Beside(new Plan(random.nextLong(), topic, random.nextInt(), tokens, segments), offset);
    }

    private static long number(Random random, int mostBits) {
        return random.nextLong() >>> (64 - (1 + random.nextInt(mostBits)));
    }

    private static Beside one() {
        var segments = List.of(
                new Segment(100, 250, 1_700_000_000L, 4096, false), new Segment(250, 251, 1_700_000_002L, 1024, true));
        var topic = CommitNoteTest.topicId(new Random(7));
        return new Beside(new Plan(0x1234L, topic, 99, new TreeMap<>(), segments), 100);
    }

    @Property(tries = 5_000, edgeCases = EdgeCasesMode.NONE)
    void anyPlanIsReadBack(@ForAll long seed) {
        var any = any(new Random(seed));
        assertThat(CommitNote.read(any.text(), any.offset)).isEqualTo(new CommitNote.Planned(any.plan));
        assertThat(PlanCodec.encode(any.plan, any.offset))
                .as("one text for one plan")
                .isEqualTo(any.text());
    }

    /// Nor is it the same one: of the last character some bits say nothing, and a plan has one text.
    private static void isNone(CommitNote read, String how) {
        switch (read) {
            case CommitNote.Unreadable(var why) -> assertThat(why).as(how).isNotBlank();
            case CommitNote.Foreign() -> {}
            case CommitNote.Planned _, CommitNote.Nothing(), CommitNote.Of(var _) ->
                throw new AssertionError(how + ": " + read);
        }
    }

    @Property(tries = 20_000, edgeCases = EdgeCasesMode.NONE)
    void ofADamagedTextNoPlanIsRead(@ForAll long seed, @ForAll @IntRange(max = 4) int how) {
        var random = new Random(seed);
        var any = any(random);
        var text = any.text();
        var at = random.nextInt(text.length());
        var letter = LETTERS.charAt(random.nextInt(64));
        var damaged = switch (how) {
            case 0 -> text.substring(0, at) + letter + text.substring(at + 1);
            case 1 -> text.substring(0, at) + text.substring(at + 1);
            case 2 -> text.substring(0, at) + letter + text.substring(at);
            case 3 -> text.substring(0, Math.max(1, at));
            default -> text.substring(0, at) + (char) random.nextInt(0x10000) + text.substring(at + 1);
        };
        if (damaged.equals(text)) return;
        isNone(CommitNote.read(damaged, any.offset), damaged);
    }

    @Property(tries = 2_000, edgeCases = EdgeCasesMode.NONE)
    void besideAnotherOffsetItIsNone(@ForAll long seed, @ForAll long other) {
        var any = any(new Random(seed));
        var beside = other & Long.MAX_VALUE;
        if (beside == any.offset) return;
        assertThat(CommitNote.read(any.text(), beside)).isInstanceOf(CommitNote.Unreadable.class);
        assertThat(CommitNote.read(any.text(), any.offset + 1)).isInstanceOf(CommitNote.Unreadable.class);
    }

    @Property(tries = 20_000, edgeCases = EdgeCasesMode.NONE)
    void junkIsNoPlanAndNoException(@ForAll byte[] junk, @ForAll long offset, @ForAll boolean ours) {
        var text = ours
                ? PlanCodec.PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(junk)
                : PlanCodec.PREFIX + new String(junk, StandardCharsets.ISO_8859_1);
        assertThat(CommitNote.read(text, offset & Long.MAX_VALUE)).isInstanceOf(CommitNote.Unreadable.class);
    }

    /// With a checksum that fits, so that what is behind it is looked at too.
    @Property(tries = 20_000, edgeCases = EdgeCasesMode.NONE)
    void junkUnderARightChecksumIsNoException(@ForAll byte[] junk, @ForAll long seed) {
        var offset = number(new Random(seed), 63);
        var bytes = Arrays.copyOf(junk, junk.length + 5);
        System.arraycopy(junk, 0, bytes, 1, junk.length);
        bytes[0] = 1;
        var crc = new CRC32C();
        crc.update(bytes, 0, bytes.length - 4);
        crc.update(ByteBuffer.allocate(8).putLong(0, offset));
        ByteBuffer.wrap(bytes).putInt(bytes.length - 4, (int) crc.getValue());
        var text = PlanCodec.PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        var read = CommitNote.read(text, offset);
        if (read instanceof CommitNote.Planned(var plan) && !plan.segments().isEmpty())
            assertThat(plan.segments().getFirst().from()).isEqualTo(offset);
        else assertThat(read).isInstanceOfAny(CommitNote.Unreadable.class, CommitNote.Planned.class);
    }

    @Test
    @DisplayName("EO-8 I9 A newer version is no plan, and is told by its number")
    void aNewerVersionIsNone() {
        var bytes = Base64.getUrlDecoder().decode(one().text().substring(3));
        bytes[0] = 2;
        var text = PlanCodec.PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        assertThat(CommitNote.read(text, 100))
                .isInstanceOfSatisfying(
                        CommitNote.Unreadable.class,
                        unreadable -> assertThat(unreadable.why()).contains("version is 2"));
    }

    @Test
    @DisplayName("EO-8 A text that is longer than any plan is not even decoded")
    void aHugeTextIsNone() {
        assertThat(CommitNote.read("s1." + "A".repeat(1 << 20), 0)).isInstanceOf(CommitNote.Unreadable.class);
    }

    @Test
    void aPlanThatDoesNotBeginAtItsOffsetIsABug() {
        assertThatThrownBy(() -> PlanCodec.encode(one().plan, 101)).hasMessageContaining("101");
    }

    @Test
    @DisplayName("EO-8 The size of a segment is told, rounded up: what is reserved for it is never too little")
    void bytesAreRoundedUp() {
        var segment = new Segment(0, 1, 5, 1, false);
        var text = PlanCodec.encode(new Plan(0, TopicId.UNKNOWN, 0, new TreeMap<>(), List.of(segment)), 0);
        if (!(CommitNote.read(text, 0) instanceof CommitNote.Planned(var plan))) throw new AssertionError(text);
        assertThat(plan.segments().getFirst().bytes()).isEqualTo(1024);
    }

    @Property(tries = 20_000, edgeCases = EdgeCasesMode.NONE)
    void noSegmentTakesMoreThanIsReckonedWith(@ForAll long seed) {
        var random = new Random(seed);
        var any = any(random);
        var segments = new ArrayList<>(any.plan.segments());
        var end = segments.isEmpty() ? any.offset : segments.getLast().to();
        var room = Long.MAX_VALUE - end;
        var length = random.nextInt(4) == 0 ? room : 1 + number(random, 62) % room;
        var cut = random.nextInt(4) == 0 ? Long.MAX_VALUE >>> 1 : number(random, 62);
        segments.add(new Segment(end, end + length, cut, number(random, 62), random.nextBoolean()));
        var more = new Plan(
                any.plan.fingerprint(), any.plan.topicId(), any.plan.cluster(), any.plan.newestTokens(), segments);
        assertThat(PlanCodec.encode(more, any.offset).length() - any.text().length())
                .isBetween(1, PlanCodec.MOST_CHARACTERS_OF_A_SEGMENT);
    }

    @Property(tries = 2_000, edgeCases = EdgeCasesMode.NONE)
    void noPlanOfOneSegmentTakesMoreThanIsReckonedWith(@ForAll long seed, @ForAll @IntRange(max = 400) int shards) {
        var random = new Random(seed);
        var any = any(random);
        var tokens = new TreeMap<Integer, Long>();
        while (tokens.size() < shards) tokens.put(random.nextInt(), random.nextLong());
        var segments = any.plan.segments().stream().limit(1).toList();
        var plan = new Plan(any.plan.fingerprint(), any.plan.topicId(), any.plan.cluster(), tokens, segments);
        var characters = PlanCodec.encode(plan, any.offset).length();
        assertThat(characters).isLessThanOrEqualTo(PlanCodec.leastCharacters(shards));
        assertThat(characters).as("and not much less").isGreaterThan(PlanCodec.leastCharacters(shards) - 100);
    }

    @Test
    @DisplayName("EO-8 64 open segments of an ordinary topic take a fifth of the limit")
    void anOrdinaryPlanIsSmall() {
        var segments = new ArrayList<Segment>();
        for (var i = 0; i < 64; i++)
            segments.add(new Segment(
                    5_000_000_000L + 10_000L * i,
                    5_000_000_000L + 10_000L * (i + 1),
                    1_700_000_000L + 2L * i,
                    2 << 20,
                    false));
        var plan = new Plan(1, CommitNoteTest.topicId(new Random(3)), 2, new TreeMap<>(), segments);
        assertThat(PlanCodec.encode(plan, 5_000_000_000L).length()).isLessThan(700);
    }
}
