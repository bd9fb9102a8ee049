package dev.millrace.pipeline;

import dev.millrace.breaker.ReplicaView.Phase;
import dev.millrace.kafka.PartitionView;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardStatus;
import dev.millrace.sinkpool.ShardView;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The state of a running pipeline as plain text for a terminal: what is wrong and what to do first.
///
/// Of partitions and events only those that matter most are named, so that it stays a screen or two.
final class StatusText {
    private static final int PARTITIONS = 20;
    private static final int EVENTS = 8;
    private static final int LONGEST = 100;
    private static final long MEBIBYTE = 1 << 20;
    private static final double NANOS_PER_SECOND = 1e9;

    private final StringBuilder out = new StringBuilder();
    private final Snapshot now;
    private final Pulse pulse;

    private StatusText(Snapshot now, Pulse pulse) {
        this.now = now;
        this.pulse = pulse;
    }

    static String of(Snapshot now, Pulse pulse, List<Trouble> troubles, List<EventRing.Entry> events) {
        var text = new StatusText(now, pulse);
        text.head();
        text.out.append('\n').append(troubles(now, troubles)).append('\n');
        for (var shard : now.shards()) text.shard(shard);
        text.partitions();
        text.events(events);
        return text.out.toString().stripTrailing();
    }

    /// One or two lines for each trouble; one line where there is none.
    static String troubles(Snapshot now, List<Trouble> troubles) {
        if (troubles.isEmpty()) return "OK     " + Troubles.headline(now, troubles) + "\n";
        var out = new StringBuilder();
        for (var trouble : troubles) {
            out.append(trouble.level() == Trouble.Level.BAD ? "WRONG  " : "WATCH  ")
                    .append(trouble.what())
                    .append('\n');
            out.append("   do  ").append(trouble.remedy()).append('\n');
        }
        return out.toString();
    }

    private void line(String text) {
        out.append(text.stripTrailing()).append('\n');
    }

    private void head() {
        line(String.format(
                Locale.ROOT,
                "%s  %s  (Millrace %s)",
                now.who().pipeline(),
                now.state(),
                now.who().version()));
        var held = now.inFlight();
        line(String.format(
                Locale.ROOT,
                "in %s/s  durable %s/s  lag %s  in flight %,d of %,d rows, %,d of %,d MiB",
                rate(pulse.inPerSecond()),
                rate(pulse.durablePerSecond()),
                number(now.lag()),
                held.rows(),
                held.maxRows(),
                held.bytes() / MEBIBYTE,
                held.maxBytes() / MEBIBYTE));
        var posted = now.posted();
        if (posted != null) posted(posted);
        now.guarantees()
                .forEach((sink, holds) ->
                        line(String.format(Locale.ROOT, "sink %s  %s: %s", sink, holds.level(), cut(holds.why()))));
    }

    private void posted(IntakeView posted) {
        var refused = posted.refused().entrySet().stream()
                .filter(by -> by.getValue() > 0)
                .map(by -> String.format(Locale.ROOT, "%s %,d", by.getKey().word(), by.getValue()))
                .collect(Collectors.joining(", "));
        line(String.format(
                Locale.ROOT,
                "posted to %s  requests %,d  admitted %,d rows  refused by %s",
                posted.listens(),
                posted.requests(),
                posted.admitted(),
                refused.isEmpty() ? "none" : refused));
        posted.sinks()
                .forEach((sink, rows) -> line(String.format(
                        Locale.ROOT,
                        "  %s  written %,d  rejected %,d  lost %,d  held %,d",
                        sink,
                        rows.written(),
                        rows.rejected(),
                        rows.lost(),
                        rows.held())));
    }

    private void shard(ShardStatus shard) {
        var view = shard.view();
        var slot = SlotWait.of(shard);
        line(String.format(
                Locale.ROOT,
                "%s  %s  holds %,d rows%s",
                shard.shard(),
                view.usable() ? view.blocked() ? "blocked" : "takes rows" : "takes nothing",
                view.heldRows() + view.openRows(),
                slot == null ? "" : "  waits for " + slot));
        for (var replica : view.replicas()) {
            var state = replica.state();
            var index = state.replica();
            var failure = replica.lastFailure();
            line(String.format(
                    Locale.ROOT,
                    "  %-28s %-14s %9s/s  %s",
                    EndpointName.of(shard.endpoints().get(index)),
                    phase(replica),
                    rate(pulse.ofReplica(shard.shard(), index)),
                    failure == null || state.phase() == Phase.CLOSED ? "" : cut(failure.toString())));
        }
    }

    private String phase(ShardView.Replica replica) {
        var state = replica.state();
        // As on the live page: a breaker that is closed is a replica that is open for rows.
        var word = switch (state.phase()) {
            case CLOSED -> "takes writes";
            case OPEN -> "left out";
            case HALF_OPEN -> "is tried";
            case QUARANTINED -> "in quarantine";
        };
        var ends = state.phaseEndsNanos();
        if (ends == NanoClock.NEVER) return word;
        return word + String.format(Locale.ROOT, " %.1f s", Math.max(0, ends - now.nowNanos()) / NANOS_PER_SECOND);
    }

    private void partitions() {
        var owned = now.partitions().stream()
                .filter(partition -> partition.member() >= 0)
                .sorted(Comparator.comparing((PartitionView partition) -> now.blockedBy(partition) == null)
                        .thenComparing(Comparator.comparingLong(StatusText::lag).reversed()))
                .toList();
        if (owned.isEmpty()) return;
        line(String.format(
                Locale.ROOT, "%n%-30s %12s %14s %8s  %s", "partition", "lag", "watermark", "stands", "blocked by"));
        for (var partition : owned.subList(0, Math.min(PARTITIONS, owned.size()))) {
            var by = now.blockedBy(partition);
            var shard = now.waitsFor(partition);
            line(String.format(
                    Locale.ROOT,
                    "%-30s %12s %14s %8s  %s",
                    partition.partition(),
                    number(partition.lag()),
                    number(partition.watermark()),
                    partition.pending() == 0 ? "" : Span.of(partition.headNanos()),
                    by != null ? cut(by) : shard == null ? "" : "shard " + shard));
        }
        if (owned.size() > PARTITIONS)
            line(String.format(Locale.ROOT, "and %,d partitions more", owned.size() - PARTITIONS));
    }

    private static long lag(PartitionView partition) {
        var lag = partition.lag();
        return lag == null ? Long.MAX_VALUE : lag;
    }

    private void events(List<EventRing.Entry> events) {
        if (events.isEmpty()) return;
        line("\nlast events, UTC");
        for (var event : events.subList(0, Math.min(EVENTS, events.size())))
            line(String.format(
                    Locale.ROOT,
                    "%s  %s%s  %s  %s",
                    event.at().truncatedTo(ChronoUnit.SECONDS),
                    event.event(),
                    event.count() == 1 ? "" : " x" + event.count(),
                    event.where(),
                    cut(event.text())));
    }

    private static String rate(@Nullable Double perSecond) {
        return perSecond == null ? "?" : String.format(Locale.ROOT, "%,d", Math.round(perSecond));
    }

    private static String number(@Nullable Long number) {
        return number == null ? "?" : Span.count(number);
    }

    private static String cut(String text) {
        if (text.length() <= LONGEST) return text;
        var end = text.offsetByCodePoints(0, Math.min(LONGEST - 1, text.codePointCount(0, text.length())));
        return text.substring(0, end) + "…";
    }
}
