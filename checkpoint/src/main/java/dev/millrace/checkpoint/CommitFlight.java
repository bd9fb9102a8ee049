package dev.millrace.checkpoint;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What one group member commits, and when: one commit at a time, newly built each time from what
/// the member owns then.
///
/// Where a commit is refused and nobody is named, what it carried goes out topic by topic; the
/// topic that is refused alone then goes out partition by partition, while the others go together
/// again. A partition that is refused alone is *held*: it is tried alone again after 30 s, then
/// after twice as long each time up to 10 min, and is let go when it is accepted, forgotten or
/// fenced. So one bad partition blocks nobody, and a fault that passes heals. Such extra commits
/// go out at most every 100 ms.
///
/// Invariant C2: at most one commit is out; none is sent a second time; the offsets of one
/// partition never go back in one stretch of owning it; an answer of an earlier attempt, or for a
/// partition forgotten since (owned again or not), marks nothing.
///
/// Thread ownership: the source thread.
public final class CommitFlight {
    /// Metadata characters in one request: a record of the offsets topic that holds more is
    /// refused by a broker, for ever.
    public static final int METADATA_LIMIT = 256 * 1024;

    /// Commits go out no more often than this, but where forced: below it they load the broker and
    /// nothing else.
    public static final long SHORTEST_INTERVAL_NANOS = 100_000_000L;

    /// How long it waits after an answer that says to wait, where writes wait for plans.
    private static final long PLAN_WAIT_NANOS = 500_000_000L;

    /// One commit to send, once.
    public record Send(long attempt, Map<SourcePartition, CommitEntry> entries) {
        public Send {
            entries = Collections.unmodifiableMap(new LinkedHashMap<>(entries));
            if (entries.isEmpty()) throw new IllegalArgumentException("attempt " + attempt + " carries nothing");
        }
    }

    /// What became of one commit.
    public sealed interface Answer {
        /// The broker has all of it.
        record Acknowledged() implements Answer {}

        /// Rebalance in progress, unknown member, or an epoch that is stale just after a bump: no
        /// failure. Poll; the next commit is built from what is owned then.
        record Later() implements Answer {}

        /// This member is fenced: everything is dropped. Nothing is committed until partitions are
        /// owned anew.
        record Fenced() implements Answer {}

        /// Timed out or disconnected: the request may still be applied, even after a later one.
        /// The next carries newer state.
        record Unknown() implements Answer {}

        /// Refused for any other reason. `who` names the partitions at fault, each with its
        /// reason; it is empty where the client only gave one exception for all, whose text is
        /// `reason`.
        record Refused(String reason, Map<SourcePartition, String> who) implements Answer {
            public Refused {
                who = Map.copyOf(who);
            }

            public Refused(Map<SourcePartition, String> who) {
                this("commit refused", who);
            }
        }
    }

    /// Of the time between two looks at the clock no more counts. One that leaps tells nothing of
    /// how long a request has been under way.
    static final long LONGEST_STEP_NANOS = 500_000_000L;

    private record Out(Send send, List<Standing> carried, long sentNanos) {}

    private final long intervalNanos;
    private final long quarantineNanos;

    /// In the order of their last commit, so that what a request had no room for is first in the next.
    private final LinkedHashMap<SourcePartition, Standing> owned = new LinkedHashMap<>();

    private @Nullable Out out;
    private long attempts;
    private boolean lastWasApart;
    private boolean unexplained;
    private long seenNanos;

    /// Nothing unforced goes before it.
    private long paceNanos;

    /// Nor does the common commit before this.
    private long dueNanos;

    /// The first commit may go at `nowNanos`. Throws if the interval is below
    /// [#SHORTEST_INTERVAL_NANOS].
    public CommitFlight(long intervalNanos, long nowNanos) {
        this(intervalNanos, 0, nowNanos);
    }

    /// `quarantineNanos`: how long a commit that timed out may still be applied. Until then, and
    /// until one that is sent later is acknowledged, nothing of the partitions that it carried is
    /// [#sure]. Time counts as far as it was seen to pass, in looks of half a second at most.
    public CommitFlight(long intervalNanos, long quarantineNanos, long nowNanos) {
        if (quarantineNanos < 0) throw new IllegalArgumentException("a quarantine of " + quarantineNanos + " ns");
        if (intervalNanos < SHORTEST_INTERVAL_NANOS)
            throw new IllegalArgumentException(
                    "commit interval " + intervalNanos + " ns < " + SHORTEST_INTERVAL_NANOS + " ns");
        this.intervalNanos = intervalNanos;
        this.quarantineNanos = quarantineNanos;
        this.paceNanos = nowNanos;
        this.dueNanos = nowNanos;
        this.seenNanos = nowNanos;
    }

    private void look(long nowNanos) {
        var leapt = nowNanos - seenNanos - LONGEST_STEP_NANOS;
        seenNanos = nowNanos;
        if (leapt > 0) for (var standing : owned.values()) standing.leapt(leapt);
    }

    /// A partition was assigned; `committed` is what the broker has for it, null for nothing.
    /// That, or less, is not sent.
    ///
    /// Throws if it is owned already: a stretch of owning ends with [#forget].
    public void owned(SourcePartition partition, @Nullable CommitEntry committed) {
        if (owned.containsKey(partition)) throw new IllegalStateException(partition + " is owned already");
        owned.put(partition, new Standing(partition, committed));
        unexplained = false;
    }

    /// The watermark, or the plan at it, moved. Returns whether there is more to commit than
    /// before; false for a partition that is not owned, which changes nothing: after fencing a
    /// watermark may still move until the lost callback.
    ///
    /// Throws if the offset is below an earlier one of this stretch, or below what the broker has.
    public boolean moved(SourcePartition partition, CommitEntry entry) {
        var standing = owned.get(partition);
        return standing != null && standing.move(entry);
    }

    /// Before a revoked or lost callback returns. Of a commit that is out, the rest still counts
    /// when it is answered.
    public void forget(SourcePartition partition) {
        owned.remove(partition);
        unexplained = false;
    }

    /// What moved shall not wait for the interval: a plan that writes wait for.
    public void hurry() {
        dueNanos = paceNanos;
    }

    /// What was last acknowledged of the partition lasts: no commit that is still on its way can
    /// undo it.
    public boolean sure(SourcePartition partition) {
        var standing = owned.get(partition);
        return standing != null && standing.sure();
    }

    /// How long it is until the last commit that timed out can no longer be applied; 0 if none may be.
    public long quarantineNanos(long nowNanos) {
        look(nowNanos);
        var left = 0L;
        for (var standing : owned.values()) left = Math.max(left, standing.lateNanos(nowNanos));
        return left;
    }

    /// A commit was refused because of the membership, and nothing has told since what that means:
    /// no partition came or went, and no commit was acknowledged. What is owned is not sure (EO-4).
    public boolean unexplained() {
        return unexplained;
    }

    /// The commit to send now, or null where one is out, it is not time yet, or nothing moved.
    /// `force` is for the end of a drain: it asks for no interval, but does not try a held
    /// partition before its time, so that asking until null ends.
    public @Nullable Send next(boolean force, long nowNanos) {
        return build(owned.values(), force, nowNanos);
    }

    /// The forced commit of these partitions only, for a revoke: they must not wait behind others
    /// for room or for a search. Called until null or the deadline, and null too while a commit is out.
    public @Nullable Send nextOf(Set<SourcePartition> only, long nowNanos) {
        return build(
                owned.values().stream().filter(s -> only.contains(s.partition)).toList(), true, nowNanos);
    }

    private @Nullable Send build(Collection<Standing> of, boolean force, long nowNanos) {
        look(nowNanos);
        // Whoever asks until null must not go on asking until a quarantine is over.
        var from = force ? of.stream().filter(s -> !s.onlyTimeTells(nowNanos)).toList() : of;
        if (out != null || (!force && nowNanos - paceNanos < 0) || !anyDirty(from)) return null;
        var apart = apart(from, nowNanos);
        var together = force || nowNanos - dueNanos >= 0 ? together(from) : List.<Standing>of();
        // In turns: neither a long search nor many held partitions keep the common commit waiting, nor the other way
        // round.
        lastWasApart = !apart.isEmpty() && (together.isEmpty() || !lastWasApart);
        var chosen = lastWasApart ? apart : together;
        return chosen.isEmpty() ? null : send(chosen, nowNanos);
    }

    /// None is out, and nothing of what is owned waits for one.
    public boolean nothingToCommit() {
        return out == null && !anyDirty(owned.values());
    }

    // Asked at every turn of a source: most of them have nothing to commit.
    private static boolean anyDirty(Collection<Standing> from) {
        for (var standing : from) if (standing.dirty()) return true;
        return false;
    }

    private static List<Standing> together(Collection<Standing> from) {
        var out = new ArrayList<Standing>();
        for (var standing : from)
            if (standing.dirty() && standing.company() instanceof Standing.Company.Together) out.add(standing);
        return out;
    }

    /// The first suspect with its topic, else the first held one whose time has come.
    private static List<Standing> apart(Collection<Standing> from, long nowNanos) {
        var suspects = new ArrayList<Standing>();
        Standing held = null;
        for (var standing : from) {
            if (!standing.dirty()) continue;
            switch (standing.company()) {
                case Standing.Company.Together() -> {}
                case Standing.Company.WithTopic() -> {
                    if (suspects.isEmpty() || suspects.getFirst().sharesTopicWith(standing)) suspects.add(standing);
                }
                case Standing.Company.Alone(var _, var untilNanos, var _) -> {
                    if (held == null && nowNanos - untilNanos >= 0) held = standing;
                }
            }
        }
        if (!suspects.isEmpty()) return suspects;
        return held == null ? List.of() : List.of(held);
    }

    private Send send(List<Standing> chosen, long nowNanos) {
        var entries = new LinkedHashMap<SourcePartition, CommitEntry>();
        var carried = new ArrayList<Standing>();
        var room = (long) METADATA_LIMIT;
        for (var standing : chosen) {
            var entry = standing.due();
            if (entry == null) continue;
            var size = entry.metadata().length();
            // One that is larger than a whole request goes alone: the broker's word on it is better than silence.
            if (size > room && !entries.isEmpty()) continue;
            room -= size;
            entries.put(standing.partition, entry);
            carried.add(standing);
            owned.putLast(standing.partition, standing);
        }
        var send = new Send(++attempts, entries);
        out = new Out(send, carried, nowNanos);
        paceNanos = nowNanos + SHORTEST_INTERVAL_NANOS;
        if (!lastWasApart) dueNanos = carried.size() < chosen.size() ? paceNanos : nowNanos + intervalNanos;
        return send;
    }

    /// Returns the entries that are now known to be committed; empty for an answer of an earlier
    /// attempt.
    public Map<SourcePartition, CommitEntry> answered(long attempt, Answer answer, long nowNanos) {
        look(nowNanos);
        var answered = out;
        if (answered == null || answered.send.attempt != attempt) return Map.of();
        out = null;
        return switch (answer) {
            case Answer.Acknowledged() -> acknowledged(answered);
            case Answer.Later() -> {
                unexplained = true;
                relax();
                yield Map.of();
            }
            case Answer.Unknown() -> {
                for (var standing : answered.carried) {
                    if (quarantineNanos == 0) standing.doubt();
                    else standing.doubtUntil(nowNanos + quarantineNanos);
                }
                relax();
                yield Map.of();
            }
            case Answer.Fenced() -> {
                owned.clear();
                yield Map.of();
            }
            case Answer.Refused refused -> {
                // Whoever is told so is a member.
                unexplained = false;
                // A broker refuses entry by entry: the others may be in.
                for (var standing : answered.carried) standing.doubt();
                refused(answered, refused, nowNanos);
                dueNanos = paceNanos;
                yield Map.of();
            }
        };
    }

    /// No hurry: what the group or the network does takes its time. An interval that is over
    /// already is not waited for again.
    private void relax() {
        var wait = quarantineNanos == 0 ? intervalNanos : Math.min(intervalNanos, PLAN_WAIT_NANOS);
        paceNanos += wait - SHORTEST_INTERVAL_NANOS;
    }

    private Map<SourcePartition, CommitEntry> acknowledged(Out answered) {
        unexplained = false;
        var known = new LinkedHashMap<SourcePartition, CommitEntry>();
        for (var standing : answered.carried) {
            var entry = answered.send.entries.get(standing.partition);
            // Another standing of the same partition is another stretch of owning it: this answer is not for that.
            if (entry == null || owned.get(standing.partition) != standing) continue;
            standing.acknowledge(entry, answered.sentNanos);
            known.put(standing.partition, entry);
        }
        return Collections.unmodifiableMap(known);
    }

    private void refused(Out answered, Answer.Refused refused, long nowNanos) {
        var carried = answered.carried;
        var named = carried.stream()
                .filter(s -> refused.who.containsKey(s.partition))
                .toList();
        var topic = carried.getFirst().partition.topic();
        if (!named.isEmpty()) {
            for (var standing : named)
                standing.hold(refused.who.getOrDefault(standing.partition, refused.reason), nowNanos);
        } else if (carried.size() == 1) {
            carried.getFirst().hold(refused.reason, nowNanos);
        } else if (carried.stream().allMatch(s -> s.partition.topic().equals(topic))) {
            for (var standing : carried) standing.holdWithTopic(refused.reason, nowNanos);
        } else {
            for (var standing : carried) standing.suspect();
            return;
        }
        for (var standing : owned.values()) standing.clear();
    }

    /// When [#next] without force would next give something, exactly, if nothing else happens;
    /// `Long.MAX_VALUE` for never.
    public long wakeAtNanos() {
        if (out != null) return Long.MAX_VALUE;
        var wake = Long.MAX_VALUE;
        var any = false;
        for (var standing : owned.values()) {
            if (!standing.dirty()) continue;
            var at = switch (standing.company()) {
                case Standing.Company.Together() -> later(paceNanos, dueNanos);
                case Standing.Company.WithTopic() -> paceNanos;
                case Standing.Company.Alone(var _, var untilNanos, var _) -> later(paceNanos, untilNanos);
            };
            if (!any || at - wake < 0) wake = at;
            any = true;
        }
        return wake;
    }

    private static long later(long a, long b) {
        return a - b < 0 ? b : a;
    }

    /// Whether a commit is out. Before the committed entry of a new partition is read, none may be.
    public boolean outstanding() {
        return out != null;
    }

    /// Owned partitions of which something moved that is not known to be committed, held ones
    /// among them.
    public NavigableSet<SourcePartition> dirty() {
        var dirty = new TreeSet<SourcePartition>();
        for (var standing : owned.values()) if (standing.dirty()) dirty.add(standing.partition);
        return dirty;
    }

    /// Everything that moved is known to be committed.
    public boolean isClean() {
        return owned.values().stream().noneMatch(Standing::dirty);
    }

    /// Partitions whose commit was refused and that are tried apart from the others, each with the
    /// reason.
    public NavigableMap<SourcePartition, String> held() {
        var held = new TreeMap<SourcePartition, String>();
        for (var standing : owned.values())
            if (standing.company() instanceof Standing.Company.Alone alone)
                held.put(standing.partition, alone.reason());
        return held;
    }

    /// What the broker is known to have for an owned partition, or null.
    public @Nullable CommitEntry committed(SourcePartition partition) {
        var standing = owned.get(partition);
        return standing == null ? null : standing.committed();
    }
}
