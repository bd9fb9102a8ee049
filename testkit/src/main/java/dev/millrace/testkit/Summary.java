package dev.millrace.testkit;

import static java.util.Locale.ROOT;

import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What a run over many seeds found.
///
/// `kinds` is how much of it each profile did under each delivery. `reached` tells for each state in
/// how many seeds it occurred; `found` holds the first of the violations, by seed; `twice` is how
/// many seeds were run twice, and `differing` are those of them whose second run was another.
public record Summary(
        long from,
        long seeds,
        long steps,
        long violations,
        List<Simulation.Report> found,
        Map<Sometimes, Long> reached,
        Map<Kind, Done> kinds,
        long repeatedRows,
        long rowsLostBySink,
        long twice,
        List<Long> differing,
        long wallNanos) {
    /// What a schedule is of: the name of its profile, and its delivery.
    public record Kind(String profile, String delivery) implements Comparable<Kind> {
        static Kind of(long seed) {
            return new Kind(Profile.of(seed).name(), Scenario.planned(seed) ? "effectively_once" : "at_least_once");
        }

        @Override
        public int compareTo(Kind other) {
            var byProfile = profile.compareTo(other.profile);
            return byProfile != 0 ? byProfile : delivery.compareTo(other.delivery);
        }
    }

    /// So many schedules of so many steps found so much.
    public record Done(long schedules, long steps, long violations) {
        Done plus(Done other) {
            return new Done(schedules + other.schedules, steps + other.steps, violations + other.violations);
        }
    }

    /// A state must occur in so many of [#PER_SEEDS] seeds.
    private static final long LEAST = 100;

    private static final long PER_SEEDS = 100_000;

    /// From here on states are counted; fewer seeds, down to [#JUDGED_SEEDS], must reach each at
    /// least once.
    private static final long COUNTED_SEEDS = 20_000;

    private static final long JUDGED_SEEDS = 2_000;

    public Summary {
        found = List.copyOf(found);
        var states = new EnumMap<Sometimes, Long>(Sometimes.class);
        states.putAll(reached);
        reached = Collections.unmodifiableMap(states);
        kinds = Collections.unmodifiableMap(new TreeMap<>(kinds));
        differing = List.copyOf(differing);
    }

    /// In how many of these seeds each state must have occurred; 0 for too few seeds to judge.
    public long least() {
        if (seeds < JUDGED_SEEDS) return 0;
        return seeds < COUNTED_SEEDS ? 1 : seeds * LEAST / PER_SEEDS;
    }

    /// The states that occurred too seldom: what they would have shown was not tested.
    public List<Sometimes> missed() {
        return Arrays.stream(Sometimes.values())
                .filter(state -> reached.getOrDefault(state, 0L) < least())
                .toList();
    }

    /// Nothing was found, every seed that ran twice repeated itself, and every state occurred.
    public boolean holds() {
        return violations == 0 && differing.isEmpty() && missed().isEmpty();
    }

    public long seedsAnHour() {
        return wallNanos == 0 ? 0 : (long) (seeds * 3600e9 / wallNanos);
    }

    /// The claim, as it is published. `build` names the code that was run.
    public String text(String build) {
        var out = new StringBuilder(String.format(
                ROOT,
                "%,d violations in %,d seeded fault schedules (%,d steps), seeds %d to %d, of %s%n",
                violations,
                seeds,
                steps,
                from,
                from + seeds - 1,
                build));
        if (violations == 0)
            out.append(String.format(
                    ROOT,
                    "  no acknowledged record was lost, no row was altered or made up, every report was true; with none"
                            + " in %,d,%n  the rate of failures under this model's faults is below %.1e (3/N, 95 %%)%n",
                    seeds,
                    3.0 / seeds));
        return out.append(String.format(
                        ROOT, "  where delivery is at least once, replays stored %,d rows again%n", repeatedRows))
                .append(String.format(
                        ROOT,
                        "  lost by sinks that had acknowledged them, outside of the claim: %,d rows%n",
                        rowsLostBySink))
                .append(String.format(ROOT, "  again: ./millrace simulate --from %d --seeds %d%n", from, seeds))
                .append(String.format(
                        ROOT, "  %.1f s, %,d schedules an hour; %s%n", wallNanos / 1e9, seedsAnHour(), profiles()))
                .append(String.format(
                        ROOT,
                        "  %,d seeds ran twice, %s%n",
                        twice,
                        differing.isEmpty() ? "with the same trace" : "and these did not repeat: " + differing))
                .append(String.format(
                        ROOT,
                        "  %d states must occur in %,d seeds each: %s%n",
                        Sometimes.values().length,
                        least(),
                        missed().isEmpty() ? "all do; rarest " + counted(rarest()) : "too seldom " + counted(missed())))
                .append("  not modelled: ")
                .append(String.join("; ", Model.notModelled()))
                .append('\n')
                .toString();
    }

    private Map<String, Long> profiles() {
        var out = new TreeMap<String, Long>();
        kinds.forEach((kind, done) -> out.merge(kind.profile(), done.schedules(), Long::sum));
        return out;
    }

    private List<Sometimes> rarest() {
        return Arrays.stream(Sometimes.values())
                .sorted(Comparator.comparing(state -> reached.getOrDefault(state, 0L)))
                .limit(5)
                .toList();
    }

    private Map<Sometimes, Long> counted(List<Sometimes> states) {
        var out = new LinkedHashMap<Sometimes, Long>();
        for (var state : states) out.put(state, reached.getOrDefault(state, 0L));
        return out;
    }

    /// The same numbers as one JSON document.
    public String json(String build) {
        var states = new StringBuilder();
        for (var state : Sometimes.values())
            states.append(states.isEmpty() ? "" : ",")
                    .append("\n  \"")
                    .append(state)
                    .append("\": ")
                    .append(reached.getOrDefault(state, 0L));
        return String.format(
                ROOT,
                "{\"build\": \"%s\", \"from\": %d, \"seeds\": %d, \"steps\": %d, \"violations\": %d,"
                        + " \"failing_seeds\": %s, \"repeated_rows\": %d, \"ran_twice\": %d, \"differing\": %s,"
                        + " \"seconds\": %.1f, \"seeds_an_hour\": %d, \"holds\": %b, \"states\": {%s}}%n",
                build,
                from,
                seeds,
                steps,
                violations,
                found.stream().map(Simulation.Report::seed).toList(),
                repeatedRows,
                twice,
                differing,
                wallNanos / 1e9,
                seedsAnHour(),
                holds(),
                states);
    }
}
