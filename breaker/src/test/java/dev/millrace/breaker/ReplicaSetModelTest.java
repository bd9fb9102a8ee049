package dev.millrace.breaker;

import static dev.millrace.breaker.Driven.HOUR;
import static dev.millrace.breaker.Driven.SECOND;
import static dev.millrace.breaker.Driven.YEAR;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;

/// Random schedules of asking, reporting, late and repeated reports, silence and jumps of time, against
/// [NaiveReplicas].
@Tag("BRK-3")
@Tag("BRK-4")
@Tag("BRK-5")
@Tag("BRK-13")
class ReplicaSetModelTest {
    enum Kind {
        ANY,
        RATHER,
        ONLY,
        PROBE,
        REPORT_HEALTHY,
        REPORT_OVERLOADED,
        REPORT_SICK,
        REPORT_UNTRIED,
        REPEAT,
        TICK,
        BOUND,
        UNBOUND,
        QUARANTINE,
        RELEASE,
        JUMP,
        WAKE,
        ALMOST_WAKE
    }

    record Step(Kind kind, int pick, long nanos) {}

    record Shape(int replicas, BreakerSettings settings, long startNanos) {}

    @Property(tries = 1_500, shrinking = ShrinkingMode.BOUNDED, edgeCases = EdgeCasesMode.NONE)
    void theSetDoesWhatTheNaiveModelDoes(@ForAll("shapes") Shape shape, @ForAll("steps") List<Step> steps) {
        Run run = new Run(shape);
        for (Step step : steps) run.take(step);
        Statistics.label("reopened by a probe")
                .collect(run.real.set.view().stream().anyMatch(view -> view.episode() >= 3))
                .coverage(reached -> reached.check(true).percentage(share -> share > 50.0));
    }

    @Property(tries = 500, shrinking = ShrinkingMode.BOUNDED, edgeCases = EdgeCasesMode.NONE)
    void whateverHappenedSomebodyIsGrantedOnceTimePasses(
            @ForAll("shapes") Shape shape, @ForAll("steps") List<Step> steps, @ForAll boolean lost) {
        Run run = new Run(shape);
        for (Step step : steps) run.take(step);
        for (int i = 0; i < shape.replicas(); i++) run.real.set.unfinished(i, false);
        for (int i = 0; i < shape.replicas(); i++) run.real.set.quarantine(i, false, run.real.now());
        if (!lost) run.out.forEach(permit -> run.real.report(permit, Verdict.UNTRIED));
        for (int turns = 0; !(run.real.acquire(Driven.ANY) instanceof Leave.Granted); turns++) {
            assertThat(turns).as("turns of waiting").isLessThan(2 * shape.replicas() + 2);
            // A move that no tick has told yet is due already.
            if (turns > 0) assertThat(run.real.wakesIn()).isNotNegative();
            run.real.pass(Math.max(0, run.real.wakesIn()));
            assertThat(run.real.tick()).isTrue();
        }
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    @Tag("BRK-1")
    void everyClosedReplicaThatIsFurthestBackHasItsTurn(
            @ForAll("shapes") Shape shape,
            @ForAll("steps") List<Step> steps,
            @ForAll @IntRange(min = 1, max = 5) int rounds) {
        Run run = new Run(shape);
        for (Step step : steps) run.take(step);
        List<ReplicaView> closed = run.real.set.view().stream()
                .filter(view -> view.phase() == ReplicaView.Phase.CLOSED && !view.unfinished())
                .toList();
        int least = closed.stream().mapToInt(ReplicaView::oneTurnIn).min().orElse(1);
        List<Integer> furthest = closed.stream()
                .filter(view -> view.oneTurnIn() == least)
                .map(ReplicaView::replica)
                .toList();
        List<Integer> seen = new ArrayList<>();
        while (!furthest.isEmpty() && seen.size() < rounds * furthest.size()) {
            int replica = run.real.granted(Driven.ANY).replica();
            if (furthest.contains(replica)) seen.add(replica);
        }
        for (int replica : furthest)
            assertThat(seen.stream().filter(r -> r == replica)).hasSize(rounds);
    }

    @Provide
    Arbitrary<Shape> shapes() {
        Arbitrary<Long> open = Arbitraries.of(0L, 1L, SECOND, 5 * SECOND, YEAR);
        Arbitrary<Long> start =
                Arbitraries.of(0L, -1L, HOUR, -9 * SECOND, Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE - 5 * SECOND);
        Arbitrary<BreakerSettings> settings = Combinators.combine(
                        Arbitraries.integers().between(1, 3),
                        Arbitraries.of(Long.MAX_VALUE, 2 * SECOND),
                        open,
                        Arbitraries.of(1L, 3L, 12L),
                        Arbitraries.integers().between(1, 3),
                        Arbitraries.of(1L, 5 * SECOND))
                .as((failures, slow, openNanos, times, probes, timeout) -> new BreakerSettings(
                        failures, failures, 100, slow, 100, openNanos, openNanos * times, probes, timeout));
        return Combinators.combine(Arbitraries.integers().between(1, 4), settings, start)
                .as(Shape::new);
    }

    @Provide
    Arbitrary<List<Step>> steps() {
        Arbitrary<Long> jump = Arbitraries.of(0L, 1L, SECOND, 2 * SECOND, 3 * SECOND, 5 * SECOND, HOUR);
        Arbitrary<Kind> kinds = Arbitraries.frequencyOf(
                Tuple.of(3, Arbitraries.of(Kind.class)),
                Tuple.of(2, Arbitraries.of(Kind.ANY, Kind.REPORT_SICK, Kind.WAKE, Kind.UNBOUND, Kind.RELEASE)));
        return Combinators.combine(kinds, Arbitraries.integers().between(0, 1_000), jump)
                .as(Step::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(300)
                .withSizeDistribution(RandomDistribution.uniform());
    }

    /// One schedule, told to both; whatever one says, the other must say.
    private static final class Run {
        final Driven real;
        final NaiveReplicas model;
        final int replicas;
        final int probes;
        final List<Permit> out = new ArrayList<>();
        final List<Permit> reported = new ArrayList<>();
        final Set<Long> ids = new HashSet<>();
        /// When time was last moved on, with no report since: what would be granted is as of then.
        long movedAt = -1;

        Run(Shape shape) {
            real = new Driven(shape.replicas(), shape.settings(), shape.startNanos());
            model = new NaiveReplicas(shape.replicas(), shape.settings(), shape.startNanos());
            replicas = shape.replicas();
            probes = shape.settings().halfOpenProbes();
        }

        void take(Step step) {
            int replica = step.pick() % replicas;
            switch (step.kind()) {
                case ANY -> ask(Driven.ANY);
                case RATHER -> ask(Driven.rather(replica));
                case ONLY -> ask(Driven.only(replica));
                case PROBE -> {
                    int would = real.set.wouldProbe(_ -> true);
                    Permit permit = real.set.probe(real.now());
                    if (movedAt == real.elapsed) assertThat(would).isEqualTo(permit == null ? -1 : permit.replica());
                    if (permit == null)
                        assertThat(real.set.wouldProbe(_ -> true)).isEqualTo(-1);
                    movedAt = real.elapsed;
                    assertThat(permit == null ? -1 : permit.replica()).isEqualTo(model.probe(real.elapsed));
                    if (permit != null) got(permit);
                }
                case REPORT_HEALTHY -> report(step, Verdict.HEALTHY);
                case REPORT_OVERLOADED -> report(step, Verdict.OVERLOADED);
                case REPORT_SICK -> report(step, Verdict.SICK);
                case REPORT_UNTRIED -> report(step, Verdict.UNTRIED);
                case REPEAT -> {
                    if (reported.isEmpty()) break;
                    Permit again = reported.get(step.pick() % reported.size());
                    for (Verdict verdict : Verdict.values())
                        assertThat(real.report(again, verdict)).isFalse();
                }
                case TICK -> tick();
                case BOUND, UNBOUND -> {
                    boolean atBound = step.kind() == Kind.BOUND;
                    assertThat(real.set.unfinished(replica, atBound)).isEqualTo(model.unfinished(replica, atBound));
                }
                case QUARANTINE, RELEASE -> {
                    boolean on = step.kind() == Kind.QUARANTINE;
                    assertThat(real.set.quarantine(replica, on, real.now()))
                            .isEqualTo(model.quarantine(replica, on, real.elapsed));
                }
                case JUMP -> pass(step.nanos());
                case WAKE -> {
                    if (real.set.wakeAtNanos() == Long.MAX_VALUE) break;
                    if (!pass(Math.max(0, real.wakesIn()))) break;
                    assertThat(real.tick()).as("a tick at the wake-up acts").isTrue();
                    assertThat(model.tick(real.elapsed)).isTrue();
                }
                case ALMOST_WAKE -> {
                    if (real.set.wakeAtNanos() == Long.MAX_VALUE || real.wakesIn() < 1) break;
                    if (!pass(real.wakesIn() - 1)) break;
                    assertThat(real.tick())
                            .as("a tick before the wake-up is idle")
                            .isFalse();
                }
            }
            compare();
        }

        /// Up to a century, which is a third of what a `long` holds.
        private boolean pass(long nanos) {
            if (real.elapsed + nanos > 100 * YEAR) return false;
            real.pass(nanos);
            return true;
        }

        private void ask(Preference preference) {
            boolean would = real.set.wouldGrant(preference);
            Leave leave = real.acquire(preference);
            boolean granted = leave instanceof Leave.Granted;
            // Time alone takes nothing away, and what was looked at is not taken.
            if (would || movedAt == real.elapsed) assertThat(granted).isEqualTo(would);
            if (!granted) assertThat(real.set.wouldGrant(preference)).isFalse();
            movedAt = real.elapsed;
            assertThat(told(leave)).isEqualTo(model.acquire(preference, real.elapsed));
            if (leave instanceof Leave.Granted(Permit permit)) got(permit);
        }

        private String told(Leave leave) {
            return switch (leave) {
                case Leave.Granted(Permit permit) -> "granted " + permit.replica();
                case Leave.Wait(long until) -> "wait " + relative(until);
                case Leave.WaitForProbe(long until) -> "wait for probe " + relative(until);
            };
        }

        private void got(Permit permit) {
            ReplicaView view = real.view(permit.replica());
            assertThat(ids.add(permit.id())).isTrue();
            assertThat(view.phase()).as("B4").isNotIn(ReplicaView.Phase.OPEN, ReplicaView.Phase.QUARANTINED);
            assertThat(permit.probe()).isEqualTo(view.phase() == ReplicaView.Phase.HALF_OPEN);
            assertThat(permit.episode()).isEqualTo(view.episode());
            assertThat(permit.episode()).isEqualTo(real.set.episode(permit.replica()));
            model.granted(permit, real.elapsed);
            out.add(permit);
        }

        private void report(Step step, Verdict verdict) {
            if (out.isEmpty()) return;
            movedAt = -1;
            Permit permit = out.remove(step.pick() % out.size());
            reported.add(permit);
            assertThat(real.report(permit, verdict)).isEqualTo(model.report(permit, verdict, real.elapsed));
        }

        private void tick() {
            assertThat(real.tick()).isEqualTo(model.tick(real.elapsed));
            assertThat(real.tick()).as("idempotent").isFalse();
        }

        private void compare() {
            assertThat(real.set.view().stream().map(this::told)).isEqualTo(model.view());
            assertThat(relative(real.set.wakeAtNanos())).isEqualTo(model.wakeAt());
            assertThat(real.set.usable()).isEqualTo(model.usable());
            for (ReplicaView view : real.set.view()) {
                assertThat(view.probesOut()).as("B1").isLessThanOrEqualTo(probes);
            }
        }

        private String told(ReplicaView view) {
            return view.phase() + " episode " + view.episode() + " since " + (view.phaseBeganNanos() - real.startNanos)
                    + " until " + relative(view.phaseEndsNanos()) + " openings " + view.openings() + " out "
                    + view.probesOut() + " " + view.unfinished() + " one turn in " + view.oneTurnIn();
        }

        private String relative(long nanos) {
            return nanos == Long.MAX_VALUE ? "never" : String.valueOf(nanos - real.startNanos);
        }
    }
}
