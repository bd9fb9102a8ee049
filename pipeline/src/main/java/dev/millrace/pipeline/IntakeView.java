package dev.millrace.pipeline;

import dev.millrace.intake.IntakeCounts;
import dev.millrace.intake.IntakeCounts.Limit;
import dev.millrace.sinkpool.FrontHealth;
import dev.millrace.sinkpool.Loss;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/// What was posted to a pipeline so far, and what became of it: requests by the status they were answered with and by
/// the limit that refused them, rows that were taken in, and of each sink, by its name, what became of its rows.
public record IntakeView(
        String listens,
        long requests,
        Map<Integer, Long> answers,
        Map<Limit, Long> refused,
        long admitted,
        Map<String, Rows> sinks) {
    public IntakeView {
        answers = Collections.unmodifiableMap(new TreeMap<>(answers));
        refused = Collections.unmodifiableMap(new EnumMap<>(refused));
        sinks = Collections.unmodifiableMap(new LinkedHashMap<>(sinks));
    }

    /// What became of the rows of one sink, each counted once. `inDoubt` are of those lost, and may be stored; `held`
    /// have not ended.
    public record Rows(long written, long rejected, long unreachable, long shutdown, long inDoubt, long held) {
        long lost() {
            return unreachable + shutdown;
        }

        long admitted() {
            return written + rejected + lost() + held;
        }
    }

    static IntakeView of(String listens, IntakeCounts counts, Map<String, FrontHealth> sinks) {
        var refused = new EnumMap<Limit, Long>(Limit.class);
        for (var by : Limit.values()) refused.put(by, counts.refused(by));
        var rows = new LinkedHashMap<String, Rows>();
        sinks.forEach((sink, health) -> rows.put(sink, rows(health)));
        return new IntakeView(listens, counts.requests(), counts.byStatus(), refused, counts.admitted(), rows);
    }

    private static Rows rows(FrontHealth health) {
        var counts = health.counts();
        return new Rows(
                counts.written(),
                counts.lost(Loss.REJECTED),
                counts.lost(Loss.UNREACHABLE),
                counts.lost(Loss.SHUTDOWN),
                counts.inDoubt(),
                health.reserved().rows());
    }
}
