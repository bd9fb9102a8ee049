package dev.millrace.testkit;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitNote;
import dev.millrace.kafka.KafkaSourceSettings.OnLostOffset;
import dev.millrace.kafka.KafkaSourceSettings.OnPoison;
import dev.millrace.sinkpool.PoisonSettings;
import dev.millrace.sinkpool.PoisonSettings.Action;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Whoever reads the one line with which a process ends: starts it again with another setting, or
/// stops all of them and says where the group is to begin, as its text asks for.
///
/// Thread ownership: the run.
final class Operator {
    private static final long LOOK_NANOS = 100_000_000L;
    private static final long BLOCKED_NANOS = 15_000_000_000L;
    private static final long DRAIN_NANOS = 2_000_000_000L;

    private final World world;
    private OnPoison onPoison;
    private OnLostOffset onLostOffset;
    private boolean neverStops;
    private Set<String> blocked = Set.of();
    private final Set<String> toReset = new HashSet<>();

    Operator(World world) {
        this.world = world;
        onPoison = world.scenario.source().onPoison();
        onLostOffset = world.scenario.source().onLostOffset();
    }

    OnPoison onPoison() {
        return onPoison;
    }

    OnLostOffset onLostOffset() {
        return onLostOffset;
    }

    /// What is done with rows that a sink refuses.
    Action action(PoisonSettings settings) {
        return neverStops && settings.action() == Action.STOP ? Action.SKIP : settings.action();
    }

    /// Now and then somebody looks at what waits for a person.
    void heal() {
        world.agenda.in(BLOCKED_NANOS, this::lookAtBlocked);
    }

    /// What waits at two looks waits for evidence that nothing will bring, or for a decision: the
    /// table is altered, so that it takes everything, and a process that sees a drift begins anew.
    private void lookAtBlocked() {
        var seen = new HashSet<String>();
        for (var process : List.copyOf(world.processes))
            for (var what : process.blocked()) {
                seen.add(what);
                if (!blocked.contains(what)) continue;
                world.note("operator unblocks " + what, 0, 0);
                world.sink.takesAll();
                if (process.drifts()) process.drain(DRAIN_NANOS);
            }
        blocked = seen;
        world.agenda.in(BLOCKED_NANOS, this::lookAtBlocked);
    }

    /// Nobody is started now.
    boolean holds() {
        return !toReset.isEmpty();
    }

    /// A process ends by itself.
    void told(String reason) {
        world.note("process stops: " + reason, 0, 0);
        if (reason.contains("retention took")) {
            world.reached(Sometimes.OFFSETS_LOST_HALT);
            onLostOffset = OnLostOffset.CONTINUE;
        } else if (reason.contains("the log was truncated")) {
            world.reached(Sometimes.LOG_TRUNCATED);
            reset(reason.substring(0, reason.indexOf(':')).split("-", 2)[0]);
        } else if (reason.startsWith("topic ")) {
            world.reached(Sometimes.TOPIC_CHANGED);
            reset(reason.split(" ", 3)[1]);
        } else if (reason.contains("a range that failed")) {
            world.reached(Sometimes.STALLED_AND_RESTARTED);
        } else if (reason.startsWith("refused: ")) {
            world.reached(Sometimes.REFUSED_ROW_STOPPED);
            neverStops = true;
        } else if (!reason.contains("was fenced")) {
            world.reached(Sometimes.POISON_STOPPED);
            onPoison = OnPoison.SKIP;
        }
    }

    private void reset(String topic) {
        var first = toReset.isEmpty();
        toReset.add(topic);
        if (first) world.agenda.in(LOOK_NANOS, this::resetOn);
    }

    /// The offsets of a group with members can't be reset.
    private void resetOn() {
        var gone = true;
        for (var process : new ArrayList<>(world.processes)) {
            if (process.gone()) continue;
            gone = false;
            process.drain(DRAIN_NANOS);
        }
        if (!gone || !world.group.members.isEmpty()) {
            world.agenda.in(LOOK_NANOS, this::resetOn);
            return;
        }
        for (var slot = 0; slot < world.log.slots(); slot++)
            if (toReset.contains(world.log.at(slot).id.topic())) reset(slot);
        toReset.clear();
    }

    /// A truncated log is read on from where it was cut; a topic that was made anew from its beginning.
    private void reset(int slot) {
        var part = world.log.at(slot);
        var entry = world.group.committed(slot);
        if (entry == null) return;
        var ofIt = part.id.topicId().equals(CommitNote.read(entry).topic());
        if (!ofIt) {
            world.group.forget(slot);
            return;
        }
        var cut = part.differsAt(entry.offset(), entry.leaderEpoch());
        var at = cut >= 0 ? cut : Math.min(entry.offset(), part.logEnd());
        if (at == entry.offset()) return;
        world.planLost();
        var note = world.scenario.planned() ? CommitNote.of(part.id.topicId()) : entry.metadata();
        world.group.reset(slot, new CommitEntry(at, -1, note));
    }
}
