package dev.millrace.testkit;

import dev.millrace.testkit.FaultScript.Happened;
import dev.millrace.testkit.Suppressed.Size;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A failing seed made small: what of its faults, records and parts is left where leaving out any more hides the
/// violation, or another oracle speaks first.
///
/// `found` is the seed's own run, `smallest` the one that is left, after `runs` runs.
public record Shrunk(
        Simulation.Report found,
        Simulation.Report smallest,
        List<String> kinds,
        List<String> faults,
        String sizes,
        int runs) {
    /// No more runs than this are spent on one seed.
    static final int MOST_RUNS = 400;

    public Shrunk {
        kinds = List.copyOf(kinds);
        faults = List.copyOf(faults);
    }

    /// Shrinks a seed, or returns null for one that finds nothing.
    public static @Nullable Shrunk of(long seed) {
        var first = Simulation.without(Suppressed.NOTHING, seed);
        return first.report().violation() == null ? null : new Search(seed, first).shrink();
    }

    /// Everything that a person needs to begin with: the violation, the command, what is left, and its last events.
    public String text() {
        var out = new StringBuilder(String.valueOf(found.violation()))
                .append("\n  shrunk in " + runs + " runs to " + sizes + ", and these faults:");
        for (var fault : faults) out.append("\n    ").append(fault);
        return out.append("\n  what is left finds: ")
                .append(smallest.violation())
                .append("\n  its last events:\n")
                .append(smallest.trace())
                .toString();
    }

    private static final class Search {
        private final long seed;
        private final Simulation.Played first;
        private Simulation.Played best;
        private Suppressed suppressed = Suppressed.NOTHING;
        private int runs = 1;

        Search(long seed, Simulation.Played first) {
            this.seed = seed;
            this.first = first;
            this.best = first;
        }

        Shrunk shrink() {
            kinds();
            sizes();
            singles();
            kinds();
            sizes();
            return new Shrunk(
                    first.report(),
                    best.report(),
                    best.faults().stream()
                            .map(happened -> happened.fault().kind().name())
                            .distinct()
                            .toList(),
                    best.faults().stream().map(Happened::toString).toList(),
                    sizesOf(best.scenario()),
                    runs);
        }

        /// Does the same oracle still find the run in the wrong? Then that is the run to go on with.
        private boolean holdsWithout(Suppressed more) {
            if (runs >= MOST_RUNS || more.equals(suppressed)) return false;
            runs++;
            var played = Simulation.without(more, seed);
            if (!String.valueOf(first.report().oracle()).equals(played.report().oracle())) return false;
            suppressed = more;
            best = played;
            return true;
        }

        private void kinds() {
            for (var kind : Fault.values()) if (best.scenario().has(kind)) holdsWithout(suppressed.and(kind));
        }

        private void sizes() {
            for (var size : Size.values()) {
                if (size == Size.RECORDS) continue;
                for (var most = 1; most < of(size, best.scenario()); most++)
                    if (holdsWithout(suppressed.atMost(size, most))) break;
            }
            for (var most = 2; most < of(Size.RECORDS, best.scenario()); most *= 2)
                if (holdsWithout(suppressed.atMost(Size.RECORDS, most))) break;
        }

        /// Leaves single faults out: many at a time while that goes well, at last one by one.
        private void singles() {
            for (var some = Math.max(1, best.faults().size() / 2); ; some /= 2) {
                for (var at = 0; at < best.faults().size() && runs < MOST_RUNS; ) {
                    var to = Math.min(at + some, best.faults().size());
                    var out = best.faults().subList(at, to).stream()
                            .map(Happened::fault)
                            .toList();
                    if (!holdsWithout(suppressed.and(out))) at += some;
                }
                if (some <= 1) return;
            }
        }

        private static int of(Size size, Scenario scenario) {
            return switch (size) {
                case TOPICS -> scenario.load().topics();
                case PARTITIONS -> scenario.load().partitions();
                case RECORDS -> scenario.load().records();
                case PROCESSES -> scenario.source().processes();
                case MEMBERS -> scenario.source().members();
                case SHARDS -> scenario.sink().shards();
                case REPLICAS -> scenario.sink().replicas();
            };
        }

        private static String sizesOf(Scenario scenario) {
            var out = new StringBuilder();
            for (var size : Size.values())
                out.append(out.isEmpty() ? "" : ", ")
                        .append(size.name().toLowerCase(Locale.ROOT))
                        .append(' ')
                        .append(of(size, scenario));
            return out.toString();
        }
    }
}
