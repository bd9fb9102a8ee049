package dev.millrace.testkit;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.kafka.KafkaSourceSettings;
import dev.millrace.kafka.SourceCounters;
import dev.millrace.kafka.SourceMachine;
import java.util.HashMap;
import java.util.Map;

/// O2 at the source: what a member says of its rows adds up, and is the truth. O8: between two polls lies no more than
/// a revoke and two questions to the broker may take.
///
/// Thread ownership: the run.
final class SourceOracle {
    /// A question about offsets.
    static final long ASK_NANOS = 3_000_000_000L;

    private static final long SLACK_NANOS = 100_000_000L;

    private final SkipOracle skips;
    private final long longestTurnNanos;
    private final Map<SourcePartition, Long> polled = new HashMap<>();
    private long lost;

    SourceOracle(KafkaSourceSettings settings, SkipOracle skips) {
        this.skips = skips;
        longestTurnNanos = settings.membership().drainTimeoutNanos()
                + settings.checkpoint().commitTimeoutNanos()
                + 2 * ASK_NANOS
                + SLACK_NANOS;
    }

    /// Returns whether it never was owned before.
    boolean owned(SourcePartition partition) {
        return polled.putIfAbsent(partition, 0L) == null;
    }

    void polled(SourcePartition partition, int records) {
        polled.merge(partition, (long) records, Long::sum);
    }

    /// So many offsets were passed over.
    void lost(long offsets, SourceCounters counters) {
        lost += offsets;
        if (counters.offsetsLost() != lost)
            throw new Violation("SRC-6", lost + " offsets are lost, counted " + counters.offsetsLost());
    }

    void turned(long nanos) {
        if (nanos > longestTurnNanos)
            throw new Violation("O8", "no poll for " + nanos + " ns, bound " + longestTurnNanos);
    }

    /// DRN-1: nothing that was taken is forgotten while there is time for it.
    void inputFinished(SourceMachine machine, long nowNanos, boolean deadlinePassed) {
        if (deadlinePassed) return;
        for (var partition : machine.owned()) {
            var waiting = machine.view(partition, nowNanos).waiting();
            if (waiting != 0) throw new Violation("DRN-1", waiting + " rows of " + partition + " wait for nothing");
        }
    }

    void atRest(SourceMachine machine, long nowNanos, boolean halted) {
        polled.forEach((partition, records) -> {
            var view = machine.view(partition, nowNanos);
            var rows = view.sinks().getFirst();
            var tally = rows.tally();
            if (halted ? view.polled() > records : view.polled() != records)
                throw new Violation("O2", partition + ": polled " + records + ", counted " + view.polled());
            if (rows.skippedRows() != skips.count(partition))
                throw new Violation(
                        "O2", partition + ": left out " + skips.count(partition) + ", counted " + rows.skipped());
            if (view.waiting() != 0 || tally.inFlight() != 0 || rows.lettersOut() != 0)
                throw new Violation(
                        "O2", partition + ": waiting " + view.waiting() + ", in flight " + tally.inFlight());
            if (tally.encoded()
                            != tally.written()
                                    + tally.deadLettered()
                                    + tally.skipped()
                                    + tally.abandoned()
                                    + tally.inDoubt()
                    || view.polled()
                            != tally.encoded()
                                    + rows.skippedRows()
                                    + rows.deadLettered()
                                    + rows.lettersLeft()
                                    + view.dropped())
                throw new Violation(
                        "O2",
                        partition + ": polled " + view.polled() + ", encoded " + tally.encoded() + ", left out "
                                + rows.skippedRows() + ", dropped " + view.dropped() + ", written " + tally.written()
                                + ", abandoned " + tally.abandoned() + ", in doubt " + tally.inDoubt());
        });
    }
}
