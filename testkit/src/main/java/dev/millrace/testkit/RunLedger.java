package dev.millrace.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/// The file that keeps what was simulated of which commit: a line for each profile and delivery of
/// each run.
///
/// A run is added whole, and counts once: seeds of a commit that are in it already are refused.
public final class RunLedger {
    /// One line. `from` and `to` are the first and last seed of the run, which deals its seeds to
    /// all kinds.
    public record Entry(String commit, Summary.Kind kind, long from, long to, Summary.Done done) {
        String line() {
            return String.join(
                    ",",
                    commit,
                    kind.profile(),
                    kind.delivery(),
                    Long.toString(from),
                    Long.toString(to),
                    Long.toString(done.schedules()),
                    Long.toString(done.steps()),
                    Long.toString(done.violations()));
        }
    }

    static final String HEADER = "commit,profile,delivery,from,to,schedules,steps,violations";

    private RunLedger() {}

    /// Adds a run of a commit. Throws, and adds nothing, where some of its seeds are in it already.
    public static void add(Path file, String commit, Summary run) throws IOException {
        var to = run.from() + run.seeds() - 1;
        var lines = new ArrayList<String>();
        mustBeNew(file, commit, run.from(), run.seeds());
        if (!Files.exists(file)) lines.add(HEADER);
        run.kinds().forEach((kind, done) -> lines.add(new Entry(commit, kind, run.from(), to, done).line()));
        Files.write(file, lines, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /// Throws where some of these seeds of the commit are in it already: asked before a run too,
    /// which may take hours.
    public static void mustBeNew(Path file, String commit, long from, long seeds) throws IOException {
        var to = from + seeds - 1;
        var entries = Files.exists(file) ? read(file) : List.<Entry>of();
        for (var entry : entries)
            if (entry.commit.equals(commit) && entry.from <= to && from <= entry.to)
                throw new IOException(file + ": seeds " + entry.from + " to " + entry.to + " of " + commit
                        + " are in it; run others");
    }

    /// Throws where a line is none, or where seeds of a commit are counted twice.
    public static List<Entry> read(Path file) throws IOException {
        var entries = new ArrayList<Entry>();
        var runs = new HashMap<String, Map<Long, Long>>();
        var kinds = new HashSet<String>();
        var number = 0;
        for (var line : Files.readAllLines(file)) {
            number++;
            if (number == 1 && line.equals(HEADER)) continue;
            try {
                entries.add(entry(line));
            } catch (IllegalArgumentException bad) {
                throw new IOException(file + ":" + number + ": no line of a run: " + line, bad);
            }
            var entry = entries.getLast();
            for (var run :
                    runs.computeIfAbsent(entry.commit, _ -> new HashMap<>()).entrySet())
                if (run.getKey() <= entry.to
                        && entry.from <= run.getValue()
                        && !(run.getKey() == entry.from && run.getValue() == entry.to))
                    throw new IOException(file + ":" + number + ": seeds that are counted already");
            runs.computeIfAbsent(entry.commit, _ -> new HashMap<>()).put(entry.from, entry.to);
            if (!kinds.add(entry.commit + entry.from + entry.kind))
                throw new IOException(file + ":" + number + ": a line that is in it already");
        }
        return entries;
    }

    private static Entry entry(String line) {
        var words = line.split(",", -1);
        if (words.length != 8) throw new IllegalArgumentException(words.length + " columns");
        return new Entry(
                words[0],
                new Summary.Kind(words[1], words[2]),
                Long.parseLong(words[3]),
                Long.parseLong(words[4]),
                new Summary.Done(Long.parseLong(words[5]), Long.parseLong(words[6]), Long.parseLong(words[7])));
    }
}
