package dev.millrace.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;

/// A segment plan against a list: what is cut, what of it some acknowledged commit said, and what
/// is to be committed.
class SegmentPlanModelTest {
    @Property(tries = 20_000, edgeCases = EdgeCasesMode.NONE)
    @Tag("EO-1")
    @Tag("EO-8")
    @Tag("I2")
    void cutsStandAndAreWrittenAheadOnlyByACommitThatSaysThem(@ForAll @Size(min = 8, max = 150) byte[] choices) {
        var run = new Run(new Script(choices));
        while (run.script.goesOn()) run.step();
        run.takeOver();
        run.finish();
    }

    private static final SourcePartition PARTITION =
            new SourcePartition("orders", new TopicId("AAAAAAAAAAAAAAAAAAAAAA"), 3);

    private static final class Cut {
        final long from;
        final long to;
        final int leaderEpoch;
        boolean split;
        boolean written;
        boolean splitWritten;

        Cut(long from, long to, int leaderEpoch) {
            this.from = from;
            this.to = to;
            this.leaderEpoch = leaderEpoch;
        }
    }

    private static final class Run {
        final Script script;
        final SegmentPlan.Settings settings;
        final List<Cut> open = new ArrayList<>();
        final List<CommitEntry> sent = new ArrayList<>();
        SegmentPlan plan;
        long offset;
        int leaderEpoch = 1;
        long end;
        long watermark;
        long seconds = 1_700_000_000L;

        Run(Script script) {
            this.script = script;
            // Of some, the text is full before the number is; of others, the other way round.
            settings = new SegmentPlan.Settings(77, 5, 1 + script.pick(6), 120 + 40 * script.pick(8));
            offset = 1000L * script.pick(4);
            end = offset;
            watermark = offset;
            plan = new SegmentPlan(settings, PARTITION, new CommitEntry(offset, leaderEpoch, ""), null);
        }

        void step() {
            switch (script.pick(9)) {
                case 0, 1, 2 -> cut();
                case 3, 4 -> reach();
                case 5 -> split();
                case 6 -> sent.add(plan.entry());
                case 7 -> acknowledge();
                default -> {
                    if (script.pick(6) == 0) takeOver();
                    else skip();
                }
            }
            agree();
        }

        void cut() {
            if (!plan.mayCut()) {
                assertThat(open.size() >= settings.maxOpen()
                                || plan.characters() + PlanCodec.MOST_CHARACTERS_OF_A_SEGMENT
                                        > settings.textLimit() * 3L / 4)
                        .as("why nothing is cut")
                        .isTrue();
                return;
            }
            assertThat(open.size()).isLessThan(settings.maxOpen());
            var to = Math.max(end, watermark) + 1 + script.pick(100);
            seconds += script.pick(5);
            var made = plan.cut(to, ++leaderEpoch, 1 + script.pick(200) * 5_000L, seconds);
            assertThat(made.from()).isEqualTo(end);
            open.add(new Cut(end, to, leaderEpoch));
            end = to;
            assertThat((long) plan.characters()).isLessThanOrEqualTo(settings.textLimit() * 3L / 4);
        }

        /// Rows are done up to somewhere in what is open.
        void reach() {
            if (end == watermark) return;
            watermark += 1 + script.pick(200) % (end - watermark);
            reached();
        }

        /// Rows that no shard gets are done as soon as they are read.
        void skip() {
            if (!open.isEmpty()) return;
            watermark += 1 + script.pick(50);
            reached();
        }

        void reached() {
            var before = offset;
            while (!open.isEmpty() && open.getFirst().to <= watermark) {
                var first = open.removeFirst();
                offset = first.to;
                committedEpoch = first.leaderEpoch;
            }
            if (open.isEmpty() && watermark > offset) {
                offset = watermark;
                committedEpoch = 9;
            }
            end = Math.max(end, offset);
            assertThat(plan.reached(watermark, 9)).isEqualTo(offset > before);
        }

        @Nullable
        Integer committedEpoch;

        void split() {
            if (open.isEmpty()) {
                assertThat(plan.split(end)).isFalse();
                return;
            }
            var one = open.get(script.pick(open.size()));
            assertThat(plan.split(one.from)).isEqualTo(!one.split);
            one.split = true;
        }

        /// Of any that was sent, in any order: an answer says what its own text said, and no more.
        void acknowledge() {
            if (sent.isEmpty()) return;
            var entry = sent.get(script.pick(sent.size()));
            plan.committed(entry);
            for (var segment : said(entry).segments())
                for (var one : open)
                    if (one.from == segment.from()) {
                        assertThat(segment.to()).as("a cut never moves").isEqualTo(one.to);
                        one.written = true;
                        one.splitWritten |= segment.split();
                    }
        }

        Plan said(CommitEntry entry) {
            if (CommitNote.read(entry) instanceof CommitNote.Planned(var said)) return said;
            throw new AssertionError(entry.metadata());
        }

        /// Another goes on from what was last acknowledged, or here from what is to be committed.
        void takeOver() {
            var entry = plan.entry();
            plan = new SegmentPlan(settings, PARTITION, entry, said(entry));
            watermark = offset;
            for (var one : open) {
                one.written = true;
                one.splitWritten = one.split;
                plan.passed(new Segment(one.from, one.to, 0, 0, false), one.leaderEpoch);
            }
            sent.clear();
            committedEpoch = entry.leaderEpoch();
            agree();
        }

        void agree() {
            assertThat(plan.open()).isEqualTo(open.size());
            assertThat(plan.end()).isEqualTo(end);
            var entry = plan.entry();
            assertThat(entry.offset()).as("commits stand at segments' starts").isEqualTo(offset);
            if (committedEpoch != null)
                assertThat(entry.leaderEpoch())
                        .isEqualTo(Objects.requireNonNull(committedEpoch).intValue());
            var said = said(entry).segments();
            assertThat(said).hasSameSizeAs(open);
            for (var i = 0; i < open.size(); i++) {
                var one = open.get(i);
                assertThat(said.get(i).from()).isEqualTo(one.from);
                assertThat(said.get(i).to()).isEqualTo(one.to);
                assertThat(said.get(i).split()).isEqualTo(one.split);
                assertThat(plan.writtenAhead(one.from))
                        .as("written ahead: %s", one.from)
                        .isEqualTo(one.written);
                assertThat(plan.splitWrittenAhead(one.from)).isEqualTo(one.splitWritten);
            }
            assertThat(plan.writtenAhead(end)).isFalse();
        }

        void finish() {
            watermark = Math.max(watermark, end);
            reached();
            assertThat(plan.open()).isZero();
            assertThat(plan.entry().offset()).isEqualTo(watermark);
            assertThat(plan.mayCut()
                            || settings.textLimit() * 3L / 4
                                    < plan.characters() + PlanCodec.MOST_CHARACTERS_OF_A_SEGMENT)
                    .isTrue();
        }
    }
}
