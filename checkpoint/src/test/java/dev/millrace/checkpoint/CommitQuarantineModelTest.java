package dev.millrace.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.CommitFlight.Answer;
import dev.millrace.checkpoint.CommitFlight.Send;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;

/// The commit flight against a broker that applies a request which timed out at any time within
/// the quarantine, also after newer ones: what is called sure is never undone.
class CommitQuarantineModelTest {
    private static final long QUARANTINE = 10_000_000_000L;
    private static final long LOOK = 100_000_000L;
    private static final long HOUR = 3_600_000_000_000L;
    private static final List<SourcePartition> PARTITIONS = List.of(partition(0), partition(1), partition(2));

    @Property(tries = 20_000, edgeCases = EdgeCasesMode.NONE)
    @Tag("EO-5")
    @Tag("I8")
    void whatIsSureLasts(@ForAll @Size(min = 8, max = 150) byte[] choices) {
        var run = new Run(new Script(choices));
        while (run.script.goesOn()) run.step();
        run.end();
    }

    private static SourcePartition partition(int number) {
        return new SourcePartition("orders", TopicId.UNKNOWN, number);
    }

    /// A request on its way, for those partitions that its member still owned in the generation it
    /// was sent in.
    private record Late(Send send, Set<SourcePartition> of, long diesNanos) {}

    private static final class Run {
        final Script script;
        final Map<SourcePartition, CommitEntry> broker = new HashMap<>();
        final Map<SourcePartition, CommitEntry> sure = new HashMap<>();
        final Map<SourcePartition, Long> moved = new HashMap<>();
        final List<Late> late = new ArrayList<>();
        final CommitFlight flight;
        long now = Long.MAX_VALUE - 40_000_000_001L;

        @Nullable
        Send out;

        boolean appliedOut;

        Run(Script script) {
            this.script = script;
            flight = new CommitFlight((1 + script.pick(30)) * CommitFlight.SHORTEST_INTERVAL_NANOS, QUARANTINE, now);
        }

        void step() {
            var partition = PARTITIONS.get(script.pick(PARTITIONS.size()));
            switch (script.pick(11)) {
                case 0, 1 -> move(partition);
                case 2 -> own(partition);
                case 3 -> {
                    if (script.pick(4) == 0) forget(partition);
                }
                case 4, 5 -> send(flight.next(script.pick(3) == 0, now));
                case 6, 7 -> answer();
                case 8 -> pass(script.pick(256) * 20_000_000L);
                case 9 -> leap();
                default -> applyLate();
            }
            late.removeIf(one -> now - one.diesNanos >= 0);
            check();
        }

        /// A source looks at its clock ten times a second.
        void pass(long nanos) {
            for (var left = nanos; left > 0; left -= LOOK) {
                now += Math.min(left, LOOK);
                flight.quarantineNanos(now);
            }
        }

        /// The clock says that an hour has passed, and nothing else does.
        void leap() {
            now += HOUR;
            late.replaceAll(one -> new Late(one.send, one.of, one.diesNanos + HOUR - CommitFlight.LONGEST_STEP_NANOS));
        }

        void own(SourcePartition partition) {
            if (moved.containsKey(partition)) return;
            // Read when no commit of this member is unanswered; an older generation's are refused from now on.
            answer();
            late.replaceAll(one -> without(one, partition));
            var committed = broker.computeIfAbsent(partition, _ -> new CommitEntry(0, -1, "/0"));
            moved.put(partition, 0L);
            flight.owned(partition, committed);
        }

        static Late without(Late one, SourcePartition partition) {
            var of = new HashSet<>(one.of);
            of.remove(partition);
            return new Late(one.send, of, one.diesNanos);
        }

        void forget(SourcePartition partition) {
            moved.remove(partition);
            sure.remove(partition);
            flight.forget(partition);
        }

        void move(SourcePartition partition) {
            if (!moved.containsKey(partition)) return;
            var number = moved.merge(partition, 1L, Long::sum);
            var before = flight.committed(partition);
            var offset = before == null ? 0 : before.offset();
            // Mostly the plan moves, not the offset.
            flight.moved(partition, new CommitEntry(offset, -1, "/" + number));
            if (script.pick(2) == 0) flight.hurry();
        }

        void send(@Nullable Send send) {
            if (send == null) return;
            assertThat(out).isNull();
            out = send;
            appliedOut = script.pick(2) == 0;
            if (appliedOut) apply(send, send.entries().keySet());
        }

        void apply(Send send, Set<SourcePartition> of) {
            for (var partition : of) {
                var entry = send.entries().get(partition);
                if (entry != null) broker.put(partition, entry);
            }
        }

        void answer() {
            var send = out;
            if (send == null) return;
            out = null;
            var answer = switch (script.pick(6)) {
                case 1, 2 -> new Answer.Unknown();
                case 3 -> appliedOut ? new Answer.Unknown() : new Answer.Later();
                default -> new Answer.Acknowledged();
            };
            if (answer instanceof Answer.Acknowledged && !appliedOut)
                apply(send, send.entries().keySet());
            if (answer instanceof Answer.Unknown && !appliedOut)
                late.add(new Late(send, send.entries().keySet(), now + QUARANTINE));
            flight.answered(send.attempt(), answer, now);
            for (var partition : send.entries().keySet()) {
                var committed = flight.committed(partition);
                if (answer instanceof Answer.Acknowledged && flight.sure(partition) && committed != null)
                    sure.put(partition, committed);
            }
        }

        void applyLate() {
            if (late.isEmpty()) return;
            var one = late.remove(script.pick(late.size()));
            apply(one.send, one.of);
        }

        void check() {
            sure.forEach((partition, entry) -> {
                var there = broker.get(partition);
                if (there == null) throw new AssertionError(partition + " is not committed");
                assertThat(number(there))
                        .as("%s was sure of %s", partition, entry.metadata())
                        .isGreaterThanOrEqualTo(number(entry));
            });
        }

        static long number(CommitEntry entry) {
            return Long.parseLong(entry.metadata().substring(entry.metadata().indexOf('/') + 1));
        }

        /// The broker answers from here on: everything is sure in the end, soon after the quarantine.
        void end() {
            answerWell();
            var deadline = now + QUARANTINE + 20_000_000_000L;
            while (!flight.isClean()) {
                var wake = flight.wakeAtNanos();
                assertThat(wake).isNotEqualTo(Long.MAX_VALUE);
                if (wake - now > 0) pass(wake - now);
                assertThat(deadline - now).isPositive();
                late.removeIf(one -> now - one.diesNanos >= 0);
                send(flight.next(false, now));
                answerWell();
                check();
            }
            for (var partition : moved.keySet())
                assertThat(flight.sure(partition)).isTrue();
        }

        void answerWell() {
            var send = out;
            if (send == null) return;
            out = null;
            apply(send, send.entries().keySet());
            flight.answered(send.attempt(), new Answer.Acknowledged(), now);
        }
    }
}
