package dev.millrace.pipeline;

import dev.millrace.kafka.PartitionView;
import dev.millrace.kafka.SourceView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// What is wrong with a pipeline and what to do, the worst first: what `/stuck` knows, in plain words.
///
/// Of what follows from something else only that is told: a partition that stands because its shard takes nothing is
/// no trouble of its own.
///
/// Thread ownership: the caller's.
final class Troubles {
    static final String BY_ITSELF = " It is tried again by itself; nothing has to be restarted.";
    /// A group may take so long to give out partitions before that is news.
    private static final long JOINING_NANOS = 10_000_000_000L;
    /// A broker may take so long to restart.
    private static final long SILENT_NANOS = 10_000_000_000L;

    private static final Comparator<Trouble> WORST_FIRST = Comparator.comparing(Trouble::level);

    private final Snapshot now;
    private final List<Trouble> found = new ArrayList<>();
    /// Partitions of which something is told already.
    private final Set<PartitionView> told = new HashSet<>();

    private Troubles(Snapshot now) {
        this.now = now;
    }

    static List<Trouble> of(Snapshot now, Pulse pulse) {
        var troubles = new Troubles(now);
        troubles.course();
        for (var shard : now.shards()) new ShardTroubles(now, shard, troubles).tell();
        new PartitionTroubles(now, troubles).tell();
        for (var sink : now.advisory()) troubles.advisory(sink);
        troubles.setAside(pulse.deadLetteredLately());
        troubles.found.sort(WORST_FIRST);
        return troubles.found;
    }

    /// All that stands above the page: the worst, or that all is well.
    static String headline(Snapshot now, List<Trouble> troubles) {
        if (!troubles.isEmpty()) return troubles.getFirst().what();
        var lag = now.lag();
        return "All is well. Every shard takes rows, and nothing is stuck."
                + (lag == null || lag == 0 ? "" : " " + Span.rows(lag) + (lag == 1 ? " is" : " are") + " on the way.");
    }

    void bad(Object where, String what, String remedy) {
        found.add(new Trouble(Trouble.Level.BAD, where.toString(), what, remedy));
    }

    void watch(Object where, String what, String remedy) {
        found.add(new Trouble(Trouble.Level.WATCH, where.toString(), what, remedy));
    }

    /// What is told is why these stand, too.
    void explains(List<PartitionView> partitions) {
        told.addAll(partitions);
    }

    boolean explained(PartitionView partition) {
        return told.contains(partition);
    }

    // --- the whole

    private void course() {
        var ends = now.course().endsNanos();
        if (ends != null) {
            watch(
                    "",
                    "Stopping: nothing more is read; what was taken is being finished, for at most "
                            + Span.of(ends - now.nowNanos()) + " more.",
                    now.posted() == null
                            ? "Nothing. The report says what is left, and that is read again at the next start."
                            : "Nothing. The report says what is left: that is lost, and only whoever posted it has it.");
            return;
        }
        var since = now.course().pausedSinceNanos();
        if (since != null && now.posted() != null)
            watch(
                    "",
                    "Paused by hand for " + Span.of(now.nowNanos() - since)
                            + ": posts are told to come again, what was taken in is finished.",
                    "Let it go on with: millrace resume FILE");
        else if (since != null)
            watch(
                    "",
                    "Paused by hand for " + Span.of(now.nowNanos() - since)
                            + ": nothing more is read, what was taken is finished; rows wait in Kafka, nothing is lost.",
                    "Let it go on with: millrace resume FILE");
        var from = now.source();
        if (!now.started()) starting();
        if (from != null) source(from);
    }

    private void starting() {
        var why = now.course().waitsFor();
        if (why == null) watch("", "Starting: nothing is read yet.", "Wait a moment.");
        else
            bad(
                    "",
                    "Nothing is read yet: " + EventRing.cut(why) + ". Rows wait where they come from; nothing is lost.",
                    "Bring that server up, or mend its address in the pipeline's file." + BY_ITSELF);
    }

    private void source(SourceView from) {
        var turn = from.turnAgeNanos();
        if (turn > from.maxPollIntervalNanos() / 2)
            bad(
                    "",
                    "The process hangs: it has not asked Kafka for anything for " + Span.of(turn) + ".",
                    "Keep what jcmd PID Thread.print says, then restart the process; what is not committed is read"
                            + " again.");
        if (from.brokersSilentNanos() >= SILENT_NANOS)
            bad(
                    "",
                    "Kafka does not answer: no broker has, for " + Span.of(from.brokersSilentNanos())
                            + ". Rows wait there; nothing is lost.",
                    "Look whether the brokers are up, and whether the way to them is open." + BY_ITSELF);
        else group(from);
    }

    private void group(SourceView from) {
        if (from.commitsFailNanos() > 0)
            bad(
                    "",
                    "Kafka has taken no offset from this process for " + Span.of(from.commitsFailNanos())
                            + ": what is stored meanwhile is read again after a restart. Nothing is lost.",
                    "See what the brokers say: the log has it (event=commit_failed)." + BY_ITSELF);
        var unassigned = from.members().stream()
                .mapToLong(member -> member.unassignedNanos())
                .max()
                .orElse(0);
        if (!from.ready() && !now.draining() && unassigned >= JOINING_NANOS)
            bad(
                    "",
                    "Nothing is read: Kafka has given this process no partitions for " + Span.of(unassigned) + ".",
                    "Look whether the brokers are up, and at the other members of the group: kafka-consumer-groups.sh"
                            + " --describe --state.");
    }

    private void setAside(long lately) {
        if (lately > 0)
            watch(
                    "",
                    Span.rows(lately) + " that no store can take " + (lately == 1 ? "was" : "were")
                            + " set aside in the last minutes; the others go on.",
                    "See which and why: millrace dlq list FILE");
    }

    private void advisory(AdvisoryView sink) {
        var dead = sink.shards().stream().anyMatch(shard -> !shard.view().usable());
        if (sink.reached() && !dead) return;
        watch(
                sink.sink(),
                "Advisory sink " + sink.sink() + (sink.reached() ? " does not take all its rows" : " is not reached")
                        + "; they are dropped and counted, and nothing waits for it.",
                "Look at its servers when there is time.");
    }
}
