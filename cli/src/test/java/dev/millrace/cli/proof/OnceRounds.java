package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.Cue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// Rounds of kills over an [OnceRig], each amid another fault or none, and what is in the store
/// after each.
///
/// Thread ownership: the test's thread.
final class OnceRounds {
    /// What happens beside a kill: some of it before, and is over after it.
    enum Amid {
        NOTHING,
        /// The other process stands still past its session, and goes on when the first is killed.
        FREEZE,
        /// A shard refuses, and the other process is to drain.
        DRAIN_IN_OUTAGE,
        /// As when their machine dies.
        BOTH_KILLED,
        /// It joins, and takes the place of the one that is killed.
        THIRD_MEMBER,
        BROKER_KILLED,
        BROKER_SILENT,
        /// The answer to a commit is lost, and the connection with it.
        COMMIT_ANSWER_LOST,
        SERVER_HARMED,
        WRITE_ANSWER_LOST,
        /// Something is stored, and nobody has heard of it.
        WRITE_ANSWERS_HELD,
        /// What was asked is done when the asker is dead.
        SHARD_SILENT
    }

    private static final int EARLIEST_KILL_MILLIS = 50;
    private static final int LATEST_KILL_MILLIS = 3_000;
    private static final int MOST_KILLS = 4;
    private static final int GAP = 7;
    private static final String PLAN = "s1.";

    private final OnceRig rig;
    private final SplittableRandom chance;
    private final Map<Amid, Integer> amids = new EnumMap<>(Amid.class);
    private final List<Amid> deck = new ArrayList<>();
    private final Map<String, Integer> harms = new TreeMap<>();
    private OnceStore.Count count = new OnceStore.Count(0, 0);
    private int rounds;
    private int kills;

    OnceRounds(OnceRig rig, long seed) {
        this.rig = rig;
        chance = new SplittableRandom(seed);
    }

    /// Two processes that own something.
    void begin() throws Exception {
        for (var i = 0; i < 2; i++) rig.start(chance);
        for (var member : rig.members()) owns(member);
        for (var member : rig.members())
            assertThat(member.level()).isEqualTo(rig.store().level());
    }

    private void owns(OnceMember member) throws Exception {
        rig.await(member.name() + " owns partitions", () -> member.owned() > 0);
    }

    /// Rounds until so many kills are done, all rows counted after each.
    void until(int all, int mostPerRound, OnceWatch watch) throws Exception {
        while (kills < all) {
            rounds++;
            rig.load().start();
            try {
                if (chance.nextInt(3) == 0) rig.load().gap(rig.topics(), GAP);
                var these = Math.min(all - kills, 1 + chance.nextInt(Math.min(mostPerRound, MOST_KILLS)));
                for (var kill = 0; kill < these; kill++) kill();
            } finally {
                rig.load().stop();
            }
            settle();
            watch.check();
        }
    }

    private void kill() throws Exception {
        var victim = victim();
        var amid = next();
        amids.merge(amid, 1, Integer::sum);
        var other =
                rig.members().stream().filter(one -> one != victim).findFirst().orElseThrow();
        var shard = chance.nextInt(OnceStore.SHARDS);
        switch (amid) {
            case NOTHING -> die(victim);
            case FREEZE -> {
                other.signal("STOP");
                try {
                    if (chance.nextInt(4) != 0)
                        rig.await("the other took over", () -> victim.owned() == OnceRig.PARTITIONS);
                    die(victim);
                } finally {
                    other.signal("CONT");
                }
            }
            case DRAIN_IN_OUTAGE -> {
                if (chance.nextBoolean()) rig.store().cut(shard);
                else rig.store().silence(shard);
                moment(500);
                other.terminate();
                rig.forget(other);
                die(victim);
                if (chance.nextBoolean()) rig.store().heal();
                other.awaitDrained();
                rig.store().heal();
            }
            case BOTH_KILLED -> {
                die(victim);
                other.scrape();
                other.kill();
                rig.forget(other);
                kills++;
            }
            case THIRD_MEMBER -> {
                owns(rig.start(chance));
                die(victim);
            }
            case BROKER_KILLED -> {
                rig.broker().kill();
                if (chance.nextBoolean()) rig.broker().start();
                die(victim);
                rig.broker().start();
            }
            case BROKER_SILENT -> {
                rig.way().blackHole();
                die(victim);
                rig.way().heal();
            }
            case COMMIT_ANSWER_LOST -> {
                rig.way().dropAnswer(Cue.inRequest(PLAN));
                die(victim);
                rig.way().heal();
            }
            case SERVER_HARMED -> {
                harms.merge(rig.store().harm(chance), 1, Integer::sum);
                if (chance.nextBoolean()) rig.store().mend();
                die(victim);
                rig.store().mend();
            }
            case WRITE_ANSWER_LOST -> {
                rig.store().loseAnswers(shard, 1 + chance.nextInt(2));
                die(victim);
                rig.store().heal();
            }
            case WRITE_ANSWERS_HELD -> {
                rig.store().holdAnswers();
                rig.await("a write without its answer", () -> rig.store().held() > 0);
                die(victim);
                rig.store().heal();
            }
            case SHARD_SILENT -> {
                rig.store().silence(shard);
                die(victim);
                rig.store().heal();
            }
        }
        while (rig.members().size() < 2) rig.start(chance);
    }

    /// Each of them comes, in an order that is left to chance, before one comes again; nothing,
    /// and those that bear upon what nobody has heard of, twice.
    private Amid next() {
        if (deck.isEmpty()) {
            deck.addAll(List.of(Amid.values()));
            deck.addAll(List.of(Amid.NOTHING, Amid.BOTH_KILLED, Amid.WRITE_ANSWERS_HELD, Amid.COMMIT_ANSWER_LOST));
        }
        return deck.remove(chance.nextInt(deck.size()));
    }

    /// Any, once it owns partitions; or one that does while another may still be on its way into
    /// the group.
    private OnceMember victim() throws Exception {
        var any = rig.members().get(chance.nextInt(rig.members().size()));
        if (chance.nextBoolean())
            rig.await(
                    "one of them owns partitions", () -> rig.members().stream().anyMatch(member -> member.owned() > 0));
        else owns(any);
        return any.owned() > 0
                ? any
                : rig.members().stream()
                        .filter(member -> member.owned() > 0)
                        .findFirst()
                        .orElse(any);
    }

    /// SIGKILL at an instant that is left to chance, early more often than late.
    private void die(OnceMember victim) throws Exception {
        moment(LATEST_KILL_MILLIS);
        victim.scrape();
        victim.kill();
        rig.forget(victim);
        kills++;
    }

    private void moment(int latestMillis) throws Exception {
        var part = Math.pow(chance.nextDouble(), 2.5);
        var millis = EARLIEST_KILL_MILLIS + (int) (part * (latestMillis - EARLIEST_KILL_MILLIS));
        var moment = Deadline.in(Duration.ofMillis(millis));
        rig.await("the moment", moment::passed);
    }

    private void settle() throws Exception {
        rig.await("all committed", rig::caughtUp);
        count = rig.store().count();
        var produced = rig.load().produced();
        assertThat(count.distinct())
                .as("different rows after round %d\n%s", rounds, rig.evidence())
                .isEqualTo(produced);
        if (rig.store().once()) {
            if (count.rows() != produced)
                throw new AssertionError(count + " of " + produced + " after round " + rounds + "\n"
                        + rig.store().wrong(rig.load()) + "\n" + rig.evidence());
            assertThat(rig.possibleDuplicates()).as("possible duplicates").isZero();
        } else {
            assertThat(duplicates())
                    .as("duplicates after round %d\n%s", rounds, rig.evidence())
                    .isLessThanOrEqualTo(rig.possibleDuplicates());
        }
    }

    long duplicates() {
        return count.rows() - count.distinct();
    }

    /// SIGTERM to all; each drains to its end.
    void end() throws Exception {
        for (var member : List.copyOf(rig.members())) {
            member.terminate();
            rig.forget(member);
            member.awaitDrained();
        }
        assertThat(rig.store().wrong(rig.load())).isEmpty();
        assertThat(rig.caughtUp()).isTrue();
    }

    /// One line for a person.
    String told() {
        return String.format(
                "%d rounds, %d kills, amid %s, harms %s; %,d rows produced, %,d rows stored, %,d different,"
                        + " %,d duplicates, %,d possible duplicates",
                rounds,
                kills,
                amids,
                harms,
                rig.load().produced(),
                count.rows(),
                count.distinct(),
                duplicates(),
                rig.possibleDuplicates());
    }
}
