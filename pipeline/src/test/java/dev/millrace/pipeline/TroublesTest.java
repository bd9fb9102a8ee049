package dev.millrace.pipeline;

import static dev.millrace.breaker.ReplicaView.Phase.CLOSED;
import static dev.millrace.breaker.ReplicaView.Phase.HALF_OPEN;
import static dev.millrace.breaker.ReplicaView.Phase.OPEN;
import static dev.millrace.breaker.ReplicaView.Phase.QUARANTINED;
import static dev.millrace.pipeline.Moment.REFUSED;
import static dev.millrace.pipeline.Moment.SECOND;
import static dev.millrace.pipeline.Moment.held;
import static dev.millrace.pipeline.Moment.replica;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.kafka.HangingTransaction;
import dev.millrace.sinkpool.Failure;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a person on call is told, drill by drill, and what to do.
@Tag("OPS-8")
final class TroublesTest {
    private static final Failure SILENT = new Failure("timeout", "no answer in 30000 ms", true);

    private final Moment moment = new Moment();

    private Trouble only() {
        assertThat(moment.troubles()).hasSize(1);
        return moment.troubles().getFirst();
    }

    @Test
    void whatIsWellIsToldAsWell() {
        moment.shard("s0", List.of(held(5, false, null)), replica(0, CLOSED, REFUSED));
        moment.partition(10, SECOND, null, null);
        assertThat(moment.troubles()).isEmpty();
        assertThat(moment.headline()).startsWith("All is well. ").endsWith(" 12,300 rows are on the way.");
        assertThat(moment.text()).contains("OK     All is well.");
    }

    @Test
    void aDeadReplicaWithAWellSiblingIsToWatch() {
        moment.shard("s0", List.of(), replica(0, CLOSED, null), replica(1, OPEN, REFUSED));
        assertThat(only())
                .isEqualTo(new Trouble(
                        Trouble.Level.WATCH,
                        "warehouse/s0",
                        "Replica db-b:1 of shard warehouse/s0 refuses connections; the others take its rows, nothing"
                                + " waits.",
                        "Start the server, or look why nothing listens there. It is tried again and comes back by"
                                + " itself."));
    }

    @Test
    void aReplicaThatComesBackIsNoLongerSaidToFail() {
        moment.shard("s0", List.of(), replica(0, CLOSED, null), replica(1, HALF_OPEN, REFUSED));
        assertThat(only().what()).contains("is tried again with the next rows").doesNotContain("refuses");
    }

    @Test
    void aDeadShardSaysHowManyRowsWaitThatNothingIsLostAndWhenItIsTried() {
        moment.shard("s0", List.of(), replica(0, CLOSED, null));
        moment.shard("s1", List.of(held(41_000, false, REFUSED)), replica(0, OPEN, REFUSED), replica(1, OPEN, REFUSED));
        moment.partition(10, 60 * SECOND, null, null);
        assertThat(only().level()).isEqualTo(Trouble.Level.BAD);
        assertThat(moment.headline())
                .isEqualTo(
                        "Shard warehouse/s1 takes nothing: both its replicas refuse connections. 41,000 rows wait in its"
                                + " batches, others behind or in Kafka (12,300 in all); nothing is lost.");
        assertThat(only().remedy())
                .isEqualTo("db-a:1, db-b:1: Start the server, or look why nothing listens there. It is tried again by"
                        + " itself; nothing has to be restarted. Next try in 3 s.");
        assertThat(moment.text()).contains("shard warehouse/s1").contains("WRONG  Shard warehouse/s1 takes nothing");
        assertThat(moment.status()).contains("\"waits_for\":\"warehouse/s1\"");
    }

    @Test
    void replicasThatFailDifferentlyAreToldApart() {
        moment.shard(
                "s1", List.of(), replica(0, OPEN, REFUSED), replica(1, OPEN, SILENT), replica(2, QUARANTINED, null));
        assertThat(only().what())
                .startsWith(
                        "Shard warehouse/s1 takes nothing: db-a:1 refuses connections, db-b:1 does not answer in time,"
                                + " and 1 in quarantine. No row waits for it yet");
    }

    @Test
    void aLoginThatWeEndOurselvesIsToldAsSilence() {
        var cut = new Failure(
                "08001",
                "logging in: no connection (SQLException: no answer within 1250 ms, by PSQLException: The connection"
                        + " attempt failed., by SocketException: Socket closed)",
                false);
        moment.shard("s1", List.of(), replica(0, OPEN, cut));
        assertThat(only().what())
                .startsWith("Shard warehouse/s1 takes nothing: its only replica does not answer in time.");
    }

    @Test
    void aWriteThatOutlastsItsTimeIsToldAsSilence() {
        var late = new Failure("57014", "sending rows: the statement was cancelled, by its time limit", false);
        moment.shard("s1", List.of(), replica(0, OPEN, late));
        assertThat(only().what())
                .startsWith("Shard warehouse/s1 takes nothing: its only replica does not answer in time.");
    }

    @Test
    void whatIsInQuarantineIsReleasedByAPerson() {
        moment.shard("s1", List.of(), replica(0, QUARANTINED, null));
        assertThat(only().what()).startsWith("Shard warehouse/s1 takes nothing: its only replica is in quarantine.");
        assertThat(only().remedy())
                .isEqualTo("Release one: millrace release FILE --shard warehouse/s1 --replica db-a:1");
        moment.shards.clear();
        moment.shard("s1", List.of(), replica(0, QUARANTINED, null), replica(1, CLOSED, null));
        assertThat(only().level()).isEqualTo(Trouble.Level.WATCH);
        assertThat(only().what()).contains("db-a:1").contains("in quarantine for 10 s");
    }

    @Test
    void aBatchThatIsNotAcceptedComesWithTheRemedyOfItsError() {
        var missing = new Failure("42P01", "relation \"t\" does not exist", false);
        moment.shard("s0", List.of(held(500, true, missing)), replica(0, CLOSED, null));
        moment.partition(10, 60 * SECOND, null, null);
        assertThat(only().what())
                .isEqualTo(
                        "Shard warehouse/s0 holds a batch of 500 rows that is not accepted: 42P01: relation \"t\" does"
                                + " not exist. 1 partition waits for it; nothing is lost.");
        assertThat(only().remedy()).startsWith("Create the table, or name another as postgres.table.");
    }

    @Test
    void batchesOfAShardThatAreNotAcceptedAreOneTroubleAndSoAreTheirPartitions() {
        var missing = new Failure("42P01", "relation \"t\" does not exist", false);
        moment.shard("s0", List.of(held(20, true, missing), held(30, true, missing)), replica(0, CLOSED, null));
        moment.partition(10, 60 * SECOND, null, null);
        assertThat(only().what())
                .isEqualTo(
                        "Shard warehouse/s0 holds 2 batches of 50 rows that are not accepted: 42P01: relation \"t\" does"
                                + " not exist. 1 partition waits for them; nothing is lost.");
    }

    @Test
    void aRowThatIsHeldIsNotLookedForAmongTheDeadLetters() {
        moment.shard("s0", List.of(held(1, true, new Failure("23514", "a check", false))), replica(0, CLOSED, null));
        assertThat(only().what()).contains("a batch of 1 row that is not accepted: 23514: a check.");
        assertThat(only().remedy()).startsWith("Mend the table so that it takes such rows");
    }

    @Test
    void whatStandsForNoReasonThatIsToldIsTroubleOfItsOwn() {
        moment.shard("s0", List.of(held(5, false, SILENT)), replica(0, CLOSED, null));
        moment.partition(10, 40 * SECOND, null, null);
        assertThat(only().what())
                .isEqualTo(
                        "Partition orders-3 has stood still for 40 s: a batch of 5 rows for shard warehouse/s0 is being"
                                + " written, attempt 5; the last one said timeout: no answer in 30000 ms. Nothing is lost.");
        assertThat(only().remedy()).startsWith("Look at the server's load and disk");
    }

    @Test
    void aFullDiskIsToldWithItsRemedy() {
        var full = new Failure("53100", "sending rows: the server's disk is full", false);
        moment.shard("s0", List.of(held(5, false, full)), replica(0, CLOSED, null));
        moment.partition(10, 40 * SECOND, null, null);
        assertThat(only().remedy()).startsWith("Free or add disk space at the server.");
    }

    @Test
    void aTransactionThatHangsComesWithTheCommandThatEndsIt() {
        moment.partition(10, 0, null, new HangingTransaction(40, 90 * SECOND, 1234L));
        assertThat(only().remedy())
                .isEqualTo(
                        "End the producer 1234's transaction: kafka-transactions.sh abort --topic orders --partition 3"
                                + " --start-offset 40");
    }

    @Test
    void aPauseIsToldAndWhatItHoldsIsNotToldAsAFullBudget() {
        moment.pausedSince = 700 * SECOND;
        moment.partition(10, 60 * SECOND, "budget", null);
        assertThat(moment.headline()).startsWith("Paused by hand for 5 min: nothing more is read");
        assertThat(moment.status()).contains("\"state\":\"paused\"", "\"blocked_by\":\"paused\"");
    }

    @Test
    void aStartThatWaitsSaysForWhom() {
        moment.started = false;
        assertThat(only().what()).isEqualTo("Starting: nothing is read yet.");
        moment.waitsFor = "sink warehouse: " + REFUSED;
        assertThat(only().what()).startsWith("Nothing is read yet: sink warehouse: 08001: logging in");
    }

    @Test
    void aProcessThatHangsAndAGroupThatGivesNothingAreTold() {
        moment.turnAge = 200 * SECOND;
        assertThat(only().what()).contains("has not asked Kafka for anything for 3 min");
        moment.turnAge = 0;
        moment.ready = false;
        moment.unassigned = 9 * SECOND;
        assertThat(moment.troubles()).isEmpty();
        moment.unassigned = 11 * SECOND;
        assertThat(only().what()).contains("no partitions for 11 s");
    }

    @Test
    void brokersThatDoNotAnswerAndCommitsThatAreNotTakenAreTold() {
        moment.commitsFail = 40 * SECOND;
        assertThat(only().what()).contains("has taken no offset from this process for 40 s");
        assertThat(only().remedy()).contains("event=commit_failed");
        moment.brokersSilent = 9 * SECOND;
        assertThat(only().what()).contains("has taken no offset");
        // Why commits fail, too, and why nothing is assigned.
        moment.brokersSilent = 11 * SECOND;
        moment.ready = false;
        moment.unassigned = 60 * SECOND;
        assertThat(only().what()).contains("Kafka does not answer: no broker has, for 11 s");
    }

    @Test
    void aDrainSaysHowLongItMayTake() {
        moment.ends = moment.now + 12 * SECOND;
        assertThat(moment.headline()).contains("for at most 12 s more");
        assertThat(moment.status()).contains("\"drain_ends_in_ms\":12000");
    }

    @Test
    void whatADrainGivesUpIsNoTroubleOfItsOwn() {
        moment.partition(10, SECOND, "a range that failed", null);
        assertThat(only().what()).contains("has stopped: a range that failed");
        moment.ends = moment.now + 12 * SECOND;
        assertThat(only().what()).startsWith("Stopping: ");
    }

    @Test
    void theWorstStandsFirst() {
        moment.shard("s0", List.of(), replica(0, CLOSED, null), replica(1, OPEN, REFUSED));
        moment.shard("s1", List.of(), replica(0, OPEN, SILENT));
        assertThat(moment.troubles())
                .extracting(Trouble::level)
                .containsExactly(Trouble.Level.BAD, Trouble.Level.WATCH);
    }
}
