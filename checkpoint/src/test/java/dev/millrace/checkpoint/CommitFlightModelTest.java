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
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;

/// The commit flight against a naive broker that applies, loses, delays and refuses.
class CommitFlightModelTest {
    @Property(tries = 20_000, edgeCases = EdgeCasesMode.NONE)
    @Tag("CKP-8")
    @Tag("CKP-12")
    void commitsNeverGoBackAndEverythingIsCommittedInTheEnd(@ForAll @Size(min = 8, max = 120) byte[] choices) {
        var run = new Run(new Script(choices));
        while (run.script.goesOn()) run.step();
        run.end();
    }

    private static final List<SourcePartition> PARTITIONS =
            List.of(partition("a", 0), partition("a", 1), partition("b", 0), partition("b", 1), partition("c", 0));
    private static final List<String> PLANS =
            List.of("", "", "p", "x".repeat(90_000), "y".repeat(140_000), "z".repeat(260_000));

    private static SourcePartition partition(String topic, int partition) {
        return new SourcePartition(topic, TopicId.UNKNOWN, partition);
    }

    /// One stretch of owning, as the naive side sees it.
    private static final class Stretch {
        CommitEntry newest;
        CommitEntry known;
        boolean doubtful;

        Stretch(CommitEntry committed) {
            newest = committed;
            known = committed;
        }

        boolean dirty() {
            return doubtful || !newest.equals(known);
        }
    }

    private static final class Broker {
        final Map<SourcePartition, CommitEntry> committed = new HashMap<>();
        final Set<SourcePartition> sick = new HashSet<>();
        final List<Send> late = new ArrayList<>();

        /// Names nobody for sure, however the script goes on.
        boolean silent;

        CommitEntry committed(SourcePartition partition) {
            // Whatever is on the way is in before anybody reads: no commit of a member is unanswered then.
            applyLate();
            return committed.getOrDefault(partition, new CommitEntry(0, -1, ""));
        }

        void applyLate() {
            late.forEach(this::apply);
            late.clear();
        }

        void apply(Send send) {
            send.entries().forEach((partition, entry) -> {
                var before = committed.put(partition, entry);
                if (before != null) assertThat(entry.offset()).isGreaterThanOrEqualTo(before.offset());
            });
        }

        Answer receive(Send send, Script script) {
            applyLate();
            var bad = new TreeSet<>(sick);
            bad.retainAll(send.entries().keySet());
            if (!bad.isEmpty()) {
                var named = !silent && script.pick(2) == 0
                        ? bad.stream().collect(Collectors.toMap(p -> p, p -> "sick"))
                        : Map.<SourcePartition, String>of();
                return new Answer.Refused("somebody is sick", named);
            }
            return switch (script.pick(8)) {
                case 1 -> new Answer.Unknown();
                case 2 -> {
                    apply(send);
                    yield new Answer.Unknown();
                }
                case 3 -> {
                    late.add(send);
                    yield new Answer.Unknown();
                }
                case 4 -> new Answer.Later();
                default -> {
                    apply(send);
                    yield new Answer.Acknowledged();
                }
            };
        }
    }

    private record Pending(Send send, Answer answer, Map<SourcePartition, Stretch> by) {}

    private static final class Run {
        final Script script;
        final Broker broker = new Broker();
        final Map<SourcePartition, Stretch> owned = new HashMap<>();
        final Set<Long> attempts = new HashSet<>();
        final List<Send> answered = new ArrayList<>();
        final long interval;
        final CommitFlight flight;

        /// It passes the end of its range, but never stands at the value that means never.
        long now = Long.MAX_VALUE - 40_000_000_001L;

        @Nullable
        Pending out;

        Run(Script script) {
            this.script = script;
            interval = (1 + script.pick(50)) * CommitFlight.SHORTEST_INTERVAL_NANOS;
            flight = new CommitFlight(interval, now);
        }

        void step() {
            var partition = PARTITIONS.get(script.pick(PARTITIONS.size()));
            switch (script.pick(12)) {
                case 0, 1, 2 -> move(partition);
                case 3 -> own(partition);
                case 4 -> {
                    if (script.pick(3) == 0) forget(partition);
                    else own(partition);
                }
                case 5, 6 -> next(script.pick(4) == 0);
                case 7, 8 -> answer();
                case 9 -> staleAnswer();
                case 10 -> now += script.pick(200) * 50_000_000L;
                default -> {
                    switch (script.pick(8)) {
                        case 0, 1 -> broker.sick.add(partition);
                        case 2 -> broker.sick.clear();
                        case 3 -> fence();
                        default -> revoke(partition);
                    }
                }
            }
            agree();
        }

        void own(SourcePartition partition) {
            if (owned.containsKey(partition)) return;
            var committed = broker.committed(partition);
            owned.put(partition, new Stretch(committed));
            flight.owned(partition, committed);
        }

        void move(SourcePartition partition) {
            var stretch = owned.get(partition);
            var offset = (stretch == null ? 0 : stretch.newest.offset()) + script.pick(3);
            var entry = new CommitEntry(offset, -1, PLANS.get(script.pick(PLANS.size())));
            var moves = stretch != null && !entry.equals(stretch.newest);
            if (stretch != null) stretch.newest = entry;
            assertThat(flight.moved(partition, entry)).isEqualTo(moves);
        }

        void forget(SourcePartition partition) {
            owned.remove(partition);
            flight.forget(partition);
        }

        void revoke(SourcePartition partition) {
            answer();
            var send = flight.nextOf(Set.of(partition), now);
            if (send != null) {
                assertThat(send.entries()).containsOnlyKeys(partition);
                sent(send);
                answer();
            }
            forget(partition);
        }

        void fence() {
            var pending = out;
            if (pending == null) return;
            out = null;
            assertThat(flight.answered(pending.send.attempt(), new Answer.Fenced(), now))
                    .isEmpty();
            owned.clear();
        }

        void next(boolean force) {
            var wake = flight.wakeAtNanos();
            var send = flight.next(force, now);
            if (!force) assertThat(send != null).isEqualTo(wake != Long.MAX_VALUE && now - wake >= 0);
            if (send != null) sent(send);
        }

        void sent(Send send) {
            assertThat(out).isNull();
            assertThat(attempts.add(send.attempt())).isTrue();
            var room = (long) CommitFlight.METADATA_LIMIT;
            for (var sent : send.entries().entrySet()) {
                var stretch = owned.get(sent.getKey());
                assertThat(stretch)
                        .as("owned when it is sent: %s", sent.getKey())
                        .isNotNull();
                if (stretch == null) continue;
                assertThat(sent.getValue()).isEqualTo(stretch.newest);
                assertThat(stretch.dirty()).isTrue();
                room -= sent.getValue().metadata().length();
            }
            assertThat(room >= 0 || send.entries().size() == 1).isTrue();
            out = new Pending(send, broker.receive(send, script), Map.copyOf(owned));
        }

        void answer() {
            var pending = out;
            if (pending == null) return;
            out = null;
            var expected = new HashMap<SourcePartition, CommitEntry>();
            pending.send.entries().forEach((partition, entry) -> {
                var stretch = owned.get(partition);
                if (stretch == null || stretch != pending.by.get(partition)) return;
                if (pending.answer instanceof Answer.Acknowledged) {
                    stretch.known = entry;
                    stretch.doubtful = false;
                    expected.put(partition, entry);
                } else if (!(pending.answer instanceof Answer.Later)) stretch.doubtful = true;
            });
            assertThat(flight.answered(pending.send.attempt(), pending.answer, now))
                    .isEqualTo(expected);
            answered.add(pending.send);
        }

        void staleAnswer() {
            if (answered.isEmpty()) return;
            var send = answered.get(script.pick(answered.size()));
            var answer = script.pick(2) == 0 ? new Answer.Acknowledged() : new Answer.Fenced();
            assertThat(flight.answered(send.attempt(), answer, now)).isEmpty();
        }

        void agree() {
            assertThat(flight.outstanding()).isEqualTo(out != null);
            assertThat(flight.dirty()).isEqualTo(dirty());
            assertThat(flight.isClean()).isEqualTo(dirty().isEmpty());
            assertThat(owned.keySet()).containsAll(flight.held().keySet());
            for (var partition : PARTITIONS) {
                var stretch = owned.get(partition);
                assertThat(flight.committed(partition)).isEqualTo(stretch == null ? null : stretch.known);
            }
        }

        Set<SourcePartition> dirty() {
            var dirty = new TreeSet<SourcePartition>();
            owned.forEach((partition, stretch) -> {
                if (stretch.dirty()) dirty.add(partition);
            });
            return dirty;
        }

        /// From here on the broker answers, and refuses one partition at most: the others are all committed,
        /// however often they were refused before; and when it heals, so is that one. Nobody waits longer
        /// than the longest hold.
        void end() {
            answer();
            var chance = (int) (interval / CommitFlight.SHORTEST_INTERVAL_NANOS);
            var sick = PARTITIONS.get(chance % PARTITIONS.size());
            broker.silent = chance % 2 == 0;
            broker.sick.clear();
            broker.sick.add(sick);
            var deadline = now + Standing.LONGEST_HOLD_NANOS + 60_000_000_000L;
            settle(Set.of(sick), deadline);
            assertThat(flight.held().keySet()).isSubsetOf(sick);
            broker.sick.clear();
            settle(Set.of(), now + Standing.LONGEST_HOLD_NANOS + 60_000_000_000L);
            assertThat(flight.isClean()).isTrue();
            assertThat(flight.held()).isEmpty();
            owned.forEach((partition, stretch) ->
                    assertThat(broker.committed(partition)).isEqualTo(stretch.newest));
        }

        void settle(Set<SourcePartition> but, long deadline) {
            while (!but.containsAll(dirty())) {
                now = later(now, flight.wakeAtNanos());
                assertThat(deadline - now).as("waited too long for %s", dirty()).isPositive();
                next(false);
                assertThat(out).isNotNull();
                answer();
                agree();
            }
        }

        private static long later(long now, long wake) {
            assertThat(wake).isNotEqualTo(Long.MAX_VALUE);
            return wake - now < 0 ? now : wake;
        }
    }
}
