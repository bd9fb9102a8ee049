package dev.millrace.breaker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/// What a [ReplicaSet] should do, written the long way: times count from nought and never wrap, streaks instead
/// of windows, and every permit of every episode is kept.
final class NaiveReplicas {
    private static final class One {
        String phase = "CLOSED";
        long episode;
        long since;
        long ends;
        int openings;
        int sickInARow;
        int slowInARow;
        boolean unfinished;
        boolean quarantined;
        long quarantinedSince;

        boolean out() {
            return unfinished || quarantined;
        }

        int oneTurnIn = 1;
        long stepSince;
        int passedOver;
    }

    private record Held(long atElapsed, long deadline) {}

    private final BreakerSettings settings;
    private final long startNanos;
    private final List<One> ones = new ArrayList<>();
    private final Map<Permit, Held> held = new HashMap<>();
    private int turn;
    private int probeTurn;
    private long movedAt = -1;

    NaiveReplicas(int replicas, BreakerSettings settings, long startNanos) {
        this.settings = settings;
        this.startNanos = startNanos;
        for (int i = 0; i < replicas; i++) ones.add(new One());
    }

    String acquire(Preference preference, long elapsed) {
        advance(elapsed);
        return switch (preference) {
            case Preference.Any() -> inTurn(-1);
            case Preference.Rather(int not) -> inTurn(not);
            case Preference.Only(int index) -> {
                if (closed(index) || slot(index)) yield "granted " + index;
                yield waiting(i -> i == index);
            }
        };
    }

    int probe(long elapsed) {
        advance(elapsed);
        if (!usable()) return -1;
        int found = first(this::slot, probeTurn);
        if (found >= 0) probeTurn = found + 1;
        return found;
    }

    void granted(Permit permit, long elapsed) {
        held.put(permit, new Held(elapsed, due(elapsed, settings.probeTimeoutNanos())));
    }

    boolean report(Permit permit, Verdict verdict, long elapsed) {
        Held mine = held.remove(permit);
        One one = ones.get(permit.replica());
        if (mine == null || permit.episode() != one.episode) return false;
        if (verdict == Verdict.UNTRIED) return permit.probe();
        boolean sick = verdict == Verdict.SICK;
        boolean slow = verdict != Verdict.OVERLOADED && elapsed - mine.atElapsed() > settings.slowNanos();
        one.sickInARow = sick ? one.sickInARow + 1 : 0;
        one.slowInARow = slow ? one.slowInARow + 1 : 0;
        boolean opens = permit.probe()
                ? sick || slow
                : one.sickInARow >= settings.window() || one.slowInARow >= settings.window();
        if (!opens && !permit.probe()) {
            boolean stepDone =
                    elapsed - one.stepSince >= Math.clamp(settings.openNanos(), 5 * Driven.SECOND, 30 * Driven.SECOND);
            if (one.oneTurnIn == 1) return false;
            if (sick || slow) step(one, 16, elapsed);
            else if (verdict == Verdict.HEALTHY && stepDone) step(one, one.oneTurnIn / 2, elapsed);
            return false;
        }
        if (!opens) step(one, 16, elapsed);
        one.openings = opens ? one.openings + 1 : 0;
        one.ends = due(elapsed, openFor(one.openings));
        change(one, opens ? "OPEN" : "CLOSED", elapsed);
        return true;
    }

    private static void step(One one, int oneTurnIn, long elapsed) {
        one.oneTurnIn = oneTurnIn;
        one.stepSince = elapsed;
        one.passedOver = 0;
    }

    boolean unfinished(int replica, boolean atBound) {
        boolean was = ones.get(replica).unfinished;
        ones.get(replica).unfinished = atBound;
        return was && !atBound;
    }

    boolean quarantine(int replica, boolean on, long elapsed) {
        One one = ones.get(replica);
        boolean freed = one.quarantined && !on;
        if (on && !one.quarantined) one.quarantinedSince = elapsed;
        one.quarantined = on;
        return freed;
    }

    boolean tick(long elapsed) {
        advance(elapsed);
        boolean moved = movedAt >= 0;
        movedAt = -1;
        return moved;
    }

    String wakeAt() {
        if (movedAt >= 0) return String.valueOf(movedAt);
        return earliest(_ -> true);
    }

    boolean usable() {
        return first(this::closed, 0) >= 0;
    }

    List<String> view() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < ones.size(); i++) {
            One one = ones.get(i);
            all.add((one.quarantined ? "QUARANTINED" : one.phase) + " episode " + one.episode + " since "
                    + (one.quarantined ? one.quarantinedSince : one.since) + " until "
                    + (one.phase.equals("OPEN") && !one.quarantined ? String.valueOf(one.ends) : "never") + " openings "
                    + one.openings
                    + " out " + probesOut(i) + " " + one.unfinished + " one turn in "
                    + one.oneTurnIn);
        }
        return all;
    }

    private void advance(long elapsed) {
        boolean changed = held.entrySet()
                .removeIf(entry -> current(entry.getKey())
                        && entry.getKey().probe()
                        && elapsed >= entry.getValue().deadline());
        for (One one : ones) {
            if (!one.phase.equals("OPEN") || elapsed < one.ends) continue;
            change(one, "HALF_OPEN", elapsed);
            changed = true;
        }
        if (changed && movedAt < 0) movedAt = startNanos + elapsed == Long.MAX_VALUE ? elapsed - 1 : elapsed;
    }

    private void change(One one, String phase, long elapsed) {
        one.phase = phase;
        one.since = elapsed;
        one.episode++;
        one.sickInARow = 0;
        one.slowInARow = 0;
    }

    private String inTurn(int not) {
        int least = Integer.MAX_VALUE;
        for (int i = 0; i < ones.size(); i++) if (closed(i) && i != not) least = Math.min(least, ones.get(i).oneTurnIn);
        int found = -1;
        for (int i = turn; i < turn + ones.size() && found < 0; i++) {
            One one = ones.get(i % ones.size());
            if (!closed(i % ones.size()) || i % ones.size() == not) continue;
            if (one.oneTurnIn != least && ++one.passedOver % one.oneTurnIn != 0) continue;
            found = i % ones.size();
        }
        if (found < 0) found = first(this::closed, turn);
        if (found < 0) found = first(i -> slot(i) && i != not, turn);
        if (found < 0) found = first(this::slot, turn);
        if (found < 0) return waiting(_ -> true);
        turn = found + 1;
        return "granted " + found;
    }

    private int first(IntPredicate fits, int from) {
        for (int i = from; i < from + ones.size(); i++) if (fits.test(i % ones.size())) return i % ones.size();
        return -1;
    }

    private String waiting(IntPredicate asked) {
        boolean probing = false;
        for (int i = 0; i < ones.size(); i++) {
            probing |= asked.test(i) && !ones.get(i).out() && ones.get(i).phase.equals("HALF_OPEN");
        }
        return (probing ? "wait for probe " : "wait ")
                + earliest(i -> asked.test(i) && !ones.get(i).out());
    }

    private String earliest(IntPredicate asked) {
        long earliest = Long.MAX_VALUE;
        for (int i = 0; i < ones.size(); i++) {
            if (asked.test(i) && ones.get(i).phase.equals("OPEN")) earliest = Math.min(earliest, ones.get(i).ends);
        }
        for (var entry : held.entrySet()) {
            Permit permit = entry.getKey();
            if (permit.probe() && current(permit) && asked.test(permit.replica())) {
                earliest = Math.min(earliest, entry.getValue().deadline());
            }
        }
        return earliest == Long.MAX_VALUE ? "never" : String.valueOf(earliest);
    }

    private boolean closed(int index) {
        return ones.get(index).phase.equals("CLOSED") && !ones.get(index).out();
    }

    private boolean slot(int index) {
        One one = ones.get(index);
        return one.phase.equals("HALF_OPEN") && !one.out() && probesOut(index) < settings.halfOpenProbes();
    }

    private long probesOut(int index) {
        return held.keySet().stream()
                .filter(permit -> permit.replica() == index && permit.probe() && current(permit))
                .count();
    }

    private boolean current(Permit permit) {
        return ones.get(permit.replica()).episode == permit.episode();
    }

    private long openFor(int openings) {
        long open = settings.openNanos();
        for (int i = 1; i < openings; i++) open = Math.min(settings.openMaxNanos(), 2 * open);
        return open;
    }

    private long due(long elapsed, long length) {
        long at = elapsed + length;
        return startNanos + at == Long.MAX_VALUE ? at + 1 : at;
    }
}
