package dev.millrace.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;

/// Acknowledgements and tracker against one boolean per offset, and a scan.
class TrackerModelTest {
    private static final SourcePartition PARTITION = new SourcePartition("orders", TopicId.UNKNOWN, 0);
    private static final int MAX_PENDING = 5;

    @Property(tries = 100_000, edgeCases = EdgeCasesMode.NONE)
    @Tag("CKP-1")
    @Tag("CKP-6")
    @Tag("CKP-10")
    void everyCommitIsWhatAScanSays(@ForAll @Size(min = 8, max = 48) byte[] choices) {
        var run = new Run(new Script(choices));
        while (run.script.goesOn()) run.step();
        run.end();
    }

    private record Told(Range range, Resolution resolution) {}

    /// What the naive side knows of one range: how each of its parts ended, nothing else.
    private static final class Parts {
        final Ack ack;
        boolean closed;
        boolean gaveUp;
        int told;
        final List<Ack.Part> handles = new ArrayList<>();
        final List<@Nullable Resolution> ends = new ArrayList<>();

        Parts(Ack ack) {
            this.ack = ack;
        }
    }

    private static final class Run {
        final Script script;
        final OpenHandles handles = new OpenHandles();
        final ArrayDeque<Told> inbox = new ArrayDeque<>();
        final Map<Range, Parts> ranges = new HashMap<>();
        final List<Parts> list = new ArrayList<>();
        long epoch;
        int start;
        boolean[] done = new boolean[512];
        int committed;
        PartitionTracker tracker = new PartitionTracker(PARTITION, 0, 0, -1, MAX_PENDING, handles);

        Run(Script script) {
            this.script = script;
        }

        int scan() {
            var at = start;
            while (done[at]) at++;
            return at;
        }

        void step() {
            switch (script.pick(8)) {
                case 0, 1 -> register();
                case 2, 3, 4 -> resolve();
                case 5, 6 -> tell();
                default -> {
                    if (script.pick(4) == 0) reassign();
                    else close();
                }
            }
            agree();
        }

        void register() {
            if (tracker.full()) return;
            var from = tracker.end();
            var ack = tracker.register(from, from + 1 + script.pick(4), -1, this::told);
            var parts = new Parts(ack);
            ranges.put(ack.range(), parts);
            list.add(parts);
            for (var more = script.pick(3); more > 0; more--) {
                parts.handles.add(ack.part());
                parts.ends.add(null);
            }
            if (script.pick(4) == 0) close();
        }

        Parts parts(Range range) {
            return Objects.requireNonNull(ranges.get(range));
        }

        void told(Range range, Resolution resolution) {
            var parts = parts(range);
            parts.told++;
            assertThat(parts.told).isEqualTo(1);
            assertThat(parts.closed).isTrue();
            assertThat(parts.ends).doesNotContainNull();
            var failed = parts.gaveUp || parts.ends.contains(Resolution.FAILED);
            assertThat(resolution).isEqualTo(failed ? Resolution.FAILED : Resolution.DONE);
            inbox.add(new Told(range, resolution));
        }

        /// Any part of any range of any epoch, resolved before or not.
        void resolve() {
            if (list.isEmpty()) return;
            var parts = list.get(script.pick(list.size()));
            if (parts.handles.isEmpty()) return;
            var i = script.pick(parts.handles.size());
            var first = parts.ends.get(i) == null;
            var end = script.pick(8) == 0 ? Resolution.FAILED : Resolution.DONE;
            if (first) parts.ends.set(i, end);
            assertThat(parts.handles.get(i).resolve(end)).isEqualTo(first);
        }

        void close() {
            if (!list.isEmpty()) close(list.get(script.pick(list.size())), script.pick(10) == 0);
        }

        void close(Parts parts, boolean giveUp) {
            if (giveUp && !parts.closed) {
                parts.gaveUp = true;
                parts.ack.fail();
            }
            parts.closed = true;
            parts.ack.close();
        }

        /// The source thread reads its inbox: ranges of earlier epochs are still in it.
        void tell() {
            var told = inbox.poll();
            if (told == null) return;
            var before = scan();
            if (told.range.epoch() == epoch && told.resolution == Resolution.DONE)
                for (var at = told.range.from(); at < told.range.next(); at++) done[(int) at] = true;
            switch (tracker.resolve(told.range, told.resolution)) {
                case PartitionTracker.Moved.Forward(var from, var to) -> {
                    assertThat(from).isEqualTo(before);
                    assertThat(to).isEqualTo(scan()).isGreaterThan(before);
                }
                case PartitionTracker.Moved.Held() -> {
                    assertThat(told.range.epoch()).isEqualTo(epoch);
                    assertThat(scan()).isEqualTo(before);
                }
                case PartitionTracker.Moved.Stalled stalled -> {
                    assertThat(stalled.from()).isEqualTo(before);
                    assertThat(stalled.head().from()).isEqualTo(scan());
                    assertThat(stalled.moved()).isEqualTo(scan() > before);
                }
                case PartitionTracker.Moved.Stale() ->
                    assertThat(told.range.epoch()).isLessThan(epoch);
            }
        }

        /// Revoked with a commit, or lost without one; back at once.
        void reassign() {
            if (script.pick(2) == 0) committed = (int) tracker.watermark();
            epoch++;
            start = committed;
            done = new boolean[512];
            tracker = new PartitionTracker(PARTITION, epoch, committed, -1, MAX_PENDING, handles);
        }

        void agree() {
            assertThat(tracker.watermark()).isEqualTo(scan());
            var head = tracker.head();
            assertThat(tracker.idle()).isEqualTo(tracker.end() == scan());
            if (head == null) {
                assertThat(tracker.stalled()).isFalse();
                return;
            }
            assertThat(head.from()).isEqualTo(scan());
            var parts = parts(head);
            var heard = parts.told == 1 && inbox.stream().noneMatch(t -> t.range.equals(head));
            assertThat(tracker.stalled()).isEqualTo(heard);
        }

        /// Whatever is open is dropped, which fails it: no handle stays open, and nothing dropped is
        /// committed.
        void end() {
            var open = list.stream()
                    .filter(p -> p.ends.contains(null))
                    .map(p -> p.ack.range())
                    .toList();
            for (var parts : list) {
                for (var i = 0; i < parts.handles.size(); i++) {
                    if (parts.ends.get(i) == null) parts.ends.set(i, Resolution.FAILED);
                    parts.handles.get(i).close();
                }
                close(parts, false);
                assertThat(parts.told).isEqualTo(1);
            }
            while (!inbox.isEmpty()) {
                tell();
                agree();
            }
            assertThat(handles.count()).isZero();
            for (var range : open)
                if (range.epoch() == epoch) assertThat(tracker.watermark()).isLessThanOrEqualTo(range.from());
        }
    }
}
