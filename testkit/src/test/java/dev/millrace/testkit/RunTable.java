package dev.millrace.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The kept runs as tables for `docs/reliability.md`: by commit and delivery, and by profile.
final class RunTable {
    static final Path FILE = Path.of("..", "docs", "simulation-runs.csv");

    private static final Summary.Done NONE = new Summary.Done(0, 0, 0);

    private record Row(Summary.Done done, List<RunLedger.Entry> entries) {
        static Row none() {
            return new Row(NONE, new ArrayList<>());
        }

        Row plus(RunLedger.Entry entry) {
            entries.add(entry);
            return new Row(done.plus(entry.done()), entries);
        }
    }

    private RunTable() {}

    /// What the runs of the last commit in the file say, in the words of a claim.
    static String claim(List<RunLedger.Entry> entries, int plantedBugs) {
        if (entries.isEmpty()) return "Nothing is kept yet.\n";
        var commit = entries.getLast().commit();
        var last =
                entries.stream().filter(entry -> entry.commit().equals(commit)).toList();
        var done = last.stream().map(RunLedger.Entry::done).reduce(NONE, Summary.Done::plus);
        var seeds = seeds(last, ", ");
        var found = done.violations() == 0
                ? "**0 acknowledged-then-lost records, and 0 rows stored twice that were not counted as possible duplicates**"
                : "**" + done.violations() + " violations**";
        var rate = done.violations() == 0
                ? String.format(
                        Locale.ROOT,
                        " With none in so many, the 95 %% upper bound on the rate of failures *under this model's faults* is"
                                + " %.1e (3/N).",
                        3.0 / done.schedules())
                : "";
        return String.format(
                Locale.ROOT,
                "%s, in %,d seeded fault schedules of %,d steps (commit %s, seeds %s; again: `./millrace simulate --from"
                        + " A --seeds N`).%s Planted bugs: %d of %d are caught.%n",
                found,
                done.schedules(),
                done.steps(),
                commit,
                seeds,
                rate,
                plantedBugs,
                plantedBugs);
    }

    static String of(List<RunLedger.Entry> entries) {
        Map<List<String>, Row> commits = new LinkedHashMap<>();
        Map<List<String>, Row> profiles = new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
        for (var entry : entries) {
            var kind = entry.kind();
            add(commits, List.of(entry.commit().substring(0, 7), kind.delivery()), entry);
            add(profiles, List.of(kind.profile(), kind.delivery()), entry);
        }
        return "| commit | delivery | seeds | schedules | steps | violations |\n|---|---|---|---|---|---|\n"
                + rows(commits, true) + total(entries)
                + "\n| profile | delivery | schedules | steps | violations |\n|---|---|---|---|---|\n"
                + rows(profiles, false);
    }

    /// Which seeds they ran; what follows one another is one stretch.
    private static String seeds(List<RunLedger.Entry> entries, String between) {
        var ends = new TreeMap<Long, Long>();
        for (var entry : entries) ends.put(entry.from(), entry.to());
        var stretches = new ArrayList<long[]>();
        ends.forEach((from, to) -> {
            if (stretches.isEmpty() || stretches.getLast()[1] + 1 != from) stretches.add(new long[] {from, to});
            else stretches.getLast()[1] = to;
        });
        return stretches.stream()
                .map(stretch -> String.format(Locale.ROOT, "%,d to %,d", stretch[0], stretch[1]))
                .collect(Collectors.joining(between));
    }

    private static void add(Map<List<String>, Row> to, List<String> key, RunLedger.Entry entry) {
        to.put(key, to.getOrDefault(key, Row.none()).plus(entry));
    }

    private static String rows(Map<List<String>, Row> rows, boolean seeds) {
        return rows.entrySet().stream()
                .map(row -> "| " + String.join(" | ", row.getKey())
                        + (seeds ? " | " + seeds(row.getValue().entries, "; ") : "")
                        + numbers(row.getValue().done))
                .collect(Collectors.joining());
    }

    private static String total(List<RunLedger.Entry> entries) {
        var sum = entries.stream().map(RunLedger.Entry::done).reduce(NONE, Summary.Done::plus);
        return "| all | both | " + numbers(sum);
    }

    private static String numbers(Summary.Done done) {
        return String.format(Locale.ROOT, " | %,d | %,d | %,d |%n", done.schedules(), done.steps(), done.violations());
    }
}
