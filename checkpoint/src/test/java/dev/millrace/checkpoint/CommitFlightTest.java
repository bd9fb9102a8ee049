package dev.millrace.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.checkpoint.CommitFlight.Answer;
import dev.millrace.checkpoint.CommitFlight.Send;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CommitFlightTest {
    private static final long INTERVAL = 5_000_000_000L;
    private static final long PACE = CommitFlight.SHORTEST_INTERVAL_NANOS;
    // Clocks of this kind begin anywhere, and pass the end of their range.
    private static final long START = Long.MAX_VALUE - 3 * INTERVAL;
    private static final Answer ACKNOWLEDGED = new Answer.Acknowledged();
    private static final Answer REFUSED = new Answer.Refused("not for you", Map.of());

    private static final SourcePartition A0 = partition("a", 0);
    private static final SourcePartition A1 = partition("a", 1);
    private static final SourcePartition B0 = partition("b", 0);
    private static final SourcePartition C0 = partition("c", 0);

    private final CommitFlight flight = new CommitFlight(INTERVAL, START);
    private long now = START;

    private static SourcePartition partition(String topic, int partition) {
        return new SourcePartition(topic, TopicId.UNKNOWN, partition);
    }

    private static CommitEntry at(long offset) {
        return new CommitEntry(offset, -1, "");
    }

    private void own(SourcePartition... partitions) {
        for (var partition : partitions) flight.owned(partition, at(100));
    }

    private void move(long offset, SourcePartition... partitions) {
        for (var partition : partitions) flight.moved(partition, at(offset));
    }

    /// The next commit when it wants to go.
    private Send send() {
        now = flight.wakeAtNanos();
        assertThat(flight.next(false, now - 1)).isNull();
        return Objects.requireNonNull(flight.next(false, now));
    }

    private Send force() {
        return Objects.requireNonNull(flight.next(true, now));
    }

    private Map<SourcePartition, CommitEntry> answer(Send send, Answer answer) {
        return flight.answered(send.attempt(), answer, now);
    }

    @Test
    @Tag("CKP-8")
    void whatMovedGoesOutOnceAnInterval() {
        own(A0);
        assertThat(flight.next(false, now)).isNull();
        assertThat(flight.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
        move(110, A0);
        var first = send();
        assertThat(now).isEqualTo(START);
        assertThat(first.entries()).isEqualTo(Map.of(A0, at(110)));
        assertThat(answer(first, ACKNOWLEDGED)).isEqualTo(first.entries());
        assertThat(flight.committed(A0)).isEqualTo(at(110));
        move(120, A0);
        assertThat(flight.wakeAtNanos()).isEqualTo(START + INTERVAL);
        var second = send();
        assertThat(second.entries()).isEqualTo(Map.of(A0, at(120)));
        answer(second, ACKNOWLEDGED);
        assertThat(flight.next(true, now)).isNull();
    }

    @Test
    @Tag("CKP-8")
    void anIntervalBelowAHundredMillisecondsIsRefused() {
        assertThatThrownBy(() -> new CommitFlight(PACE - 1, 0)).hasMessageContaining("99999999");
    }

    @Test
    @Tag("CKP-8")
    void forceAsksForNoIntervalButOneIsOutAtATime() {
        own(A0);
        move(110, A0);
        var first = force();
        move(120, A0);
        assertThat(flight.outstanding()).isTrue();
        assertThat(flight.next(true, now)).isNull();
        assertThat(flight.nextOf(Set.of(A0), now)).isNull();
        assertThat(flight.wakeAtNanos()).isEqualTo(Long.MAX_VALUE);
        answer(first, ACKNOWLEDGED);
        assertThat(flight.outstanding()).isFalse();
        assertThat(force().entries()).isEqualTo(Map.of(A0, at(120)));
    }

    @Test
    @Tag("CKP-8")
    void whatTheBrokerHasIsNotSent() {
        own(A0);
        assertThat(flight.moved(A0, at(100))).isFalse();
        assertThat(flight.moved(A0, new CommitEntry(100, 4, ""))).isFalse();
        assertThat(flight.isClean()).isTrue();
        assertThat(flight.next(true, now)).isNull();
    }

    @Test
    @Tag("CKP-8")
    void aPartitionThatTheGroupHasNothingOfIsCommittedWhereItStarts() {
        flight.owned(A0, null);
        assertThat(flight.isClean()).isTrue();
        assertThat(flight.committed(A0)).isNull();
        assertThat(flight.moved(A0, at(0))).isTrue();
        assertThat(force().entries()).isEqualTo(Map.of(A0, at(0)));
    }

    @Test
    void newMetadataAtTheSameOffsetIsCommitted() {
        own(A0);
        assertThat(flight.moved(A0, new CommitEntry(100, -1, "plan"))).isTrue();
        assertThat(force().entries()).isEqualTo(Map.of(A0, new CommitEntry(100, -1, "plan")));
    }

    @Test
    @Tag("CKP-8")
    void offsetsThatGoBackAreRefusedLoudly() {
        own(A0);
        assertThatThrownBy(() -> flight.moved(A0, at(99)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("99")
                .hasMessageContaining("100");
        move(120, A0);
        assertThatThrownBy(() -> flight.moved(A0, at(119))).isInstanceOf(IllegalArgumentException.class);
        assertThat(force().entries()).isEqualTo(Map.of(A0, at(120)));
    }

    @Test
    @Tag("CKP-8")
    void aCommitIsBuiltFromWhatIsOwnedWhenItIsSent() {
        own(A0, B0);
        move(110, A0, B0);
        flight.forget(A0);
        assertThat(flight.moved(A0, at(120))).isFalse();
        assertThat(force().entries()).isEqualTo(Map.of(B0, at(110)));
    }

    @Test
    void aPartitionIsOwnedOnceUntilItIsForgotten() {
        own(A0);
        assertThatThrownBy(() -> own(A0)).isInstanceOf(IllegalStateException.class);
        flight.forget(A0);
        own(A0);
    }

    @Test
    @Tag("CKP-8")
    @Tag("EO-5")
    void anAnswerOfAnEarlierAttemptMarksNothing() {
        own(A0);
        move(110, A0);
        var first = force();
        answer(first, new Answer.Unknown());
        move(120, A0);
        var second = force();
        assertThat(second.attempt()).isNotEqualTo(first.attempt());
        assertThat(answer(first, ACKNOWLEDGED)).isEmpty();
        assertThat(answer(first, new Answer.Fenced())).isEmpty();
        assertThat(flight.outstanding()).isTrue();
        assertThat(flight.committed(A0)).isEqualTo(at(100));
        assertThat(answer(second, ACKNOWLEDGED)).isEqualTo(Map.of(A0, at(120)));
        assertThat(answer(second, ACKNOWLEDGED)).isEmpty();
    }

    @Test
    @Tag("CKP-8")
    void anAnswerForAForgottenPartitionMarksNothing() {
        own(A0, B0);
        move(110, A0, B0);
        var send = force();
        flight.forget(A0);
        assertThat(answer(send, ACKNOWLEDGED)).isEqualTo(Map.of(B0, at(110)));
        assertThat(flight.committed(A0)).isNull();
    }

    @Test
    @Tag("CKP-6")
    @Tag("CKP-8")
    void anAnswerFromBeforeAPartitionWasOwnedAgainMarksNothing() {
        own(A0);
        move(110, A0);
        var send = force();
        flight.forget(A0);
        flight.owned(A0, at(105));
        move(110, A0);
        assertThat(answer(send, ACKNOWLEDGED)).isEmpty();
        assertThat(flight.committed(A0)).isEqualTo(at(105));
        assertThat(force().entries()).isEqualTo(Map.of(A0, at(110)));
    }

    @Test
    @Tag("CKP-8")
    @Tag("CKP-12")
    void afterARebalanceRefusalTheNextIsBuiltAnewAfterAnInterval() {
        own(A0, B0);
        move(110, A0, B0);
        var first = send();
        answer(first, new Answer.Later());
        assertThat(flight.held()).isEmpty();
        flight.forget(A0);
        move(130, B0);
        assertThat(flight.wakeAtNanos()).isEqualTo(START + INTERVAL);
        assertThat(force().entries()).isEqualTo(Map.of(B0, at(130)));
    }

    @Test
    @Tag("CKP-8")
    void afterATimeOutTheNextCarriesNewerStateAtOnceIfTheIntervalIsOver() {
        own(A0);
        move(110, A0);
        var first = send();
        now += 2 * INTERVAL;
        answer(first, new Answer.Unknown());
        move(130, A0);
        assertThat(Objects.requireNonNull(flight.next(false, now)).entries()).isEqualTo(Map.of(A0, at(130)));
    }

    @Test
    @Tag("CKP-8")
    void afterATimeOutAnEntryThatWasKnownBeforeIsCommittedAgain() {
        own(A0);
        flight.moved(A0, new CommitEntry(100, -1, "plan"));
        answer(force(), new Answer.Unknown());
        flight.moved(A0, at(100));
        assertThat(flight.isClean()).isFalse();
        var send = force();
        assertThat(send.entries()).isEqualTo(Map.of(A0, at(100)));
        answer(send, ACKNOWLEDGED);
        assertThat(flight.isClean()).isTrue();
    }

    @Test
    @Tag("CKP-12")
    void onlyFencingDropsState() {
        own(A0);
        move(110, A0);
        for (var answer : new Answer[] {new Answer.Later(), new Answer.Unknown(), REFUSED}) {
            answer(force(), answer);
            assertThat(flight.dirty()).containsExactly(A0);
            now = flight.wakeAtNanos();
        }
        answer(Objects.requireNonNull(flight.next(false, now)), new Answer.Fenced());
        assertThat(flight.isClean()).isTrue();
        assertThat(flight.moved(A0, at(120))).isFalse();
        assertThat(flight.next(true, now)).isNull();
        flight.owned(A0, at(100));
    }

    @Test
    @Tag("CKP-8")
    void aRevokeCommitsTheRevokedPartitionsOnly() {
        own(A0, A1, B0);
        move(110, A0, A1, B0);
        var send = Objects.requireNonNull(flight.nextOf(Set.of(A1), now));
        assertThat(send.entries()).isEqualTo(Map.of(A1, at(110)));
        answer(send, ACKNOWLEDGED);
        assertThat(flight.nextOf(Set.of(A1), now)).isNull();
        assertThat(flight.dirty()).containsExactly(A0, B0);
    }

    @Test
    @Tag("CKP-8")
    void aRefusalThatNamesAPartitionHoldsItAndTheOthersGoOnAtOnce() {
        own(A0, A1, B0);
        move(110, A0, A1, B0);
        answer(send(), new Answer.Refused("one is bad", Map.of(A1, "too large")));
        assertThat(flight.held()).isEqualTo(Map.of(A1, "too large"));
        var others = send();
        assertThat(now).isEqualTo(START + PACE);
        assertThat(others.entries()).containsOnlyKeys(A0, B0);
        answer(others, ACKNOWLEDGED);
        assertThat(flight.dirty()).containsExactly(A1);
        assertThat(flight.next(true, now)).isNull();
    }

    @Test
    @Tag("CKP-8")
    void aRefusalThatNamesNobodyIsFollowedTopicByTopicAndThenTogetherAgain() {
        own(A0, B0, C0);
        move(110, A0, B0, C0);
        answer(send(), REFUSED);
        assertThat(flight.held()).isEmpty();
        var a = send();
        assertThat(now).isEqualTo(START + PACE);
        assertThat(a.entries()).containsOnlyKeys(A0);
        answer(a, ACKNOWLEDGED);
        var b = send();
        assertThat(b.entries()).containsOnlyKeys(B0);
        answer(b, REFUSED);
        assertThat(flight.held()).isEqualTo(Map.of(B0, "not for you"));
        move(120, A0, B0);
        assertThat(send().entries()).containsOnlyKeys(A0, C0);
    }

    @Test
    @Tag("CKP-8")
    void aTopicThatIsRefusedAloneGoesOutPartitionByPartition() {
        own(A0, A1, B0);
        move(110, A0, A1);
        answer(send(), REFUSED);
        assertThat(flight.held()).containsOnlyKeys(A0, A1);
        var first = send();
        assertThat(first.entries()).containsOnlyKeys(A0);
        answer(first, REFUSED);
        // The others do not wait for the search to end.
        move(120, B0);
        var other = send();
        assertThat(other.entries()).containsOnlyKeys(B0);
        answer(other, ACKNOWLEDGED);
        var second = send();
        assertThat(second.entries()).containsOnlyKeys(A1);
        answer(second, ACKNOWLEDGED);
        assertThat(flight.held()).containsOnlyKeys(A0);
    }

    @Test
    @Tag("CKP-8")
    void aHeldPartitionIsTriedAloneAfterLongerAndLongerAndHeals() {
        own(A0, B0);
        move(110, A0);
        answer(send(), REFUSED);
        for (var seconds : new long[] {30, 60, 120, 240, 480, 600, 600}) {
            assertThat(flight.wakeAtNanos() - now).isEqualTo(seconds * 1_000_000_000L);
            assertThat(flight.next(true, now)).isNull();
            answer(send(), REFUSED);
        }
        move(120, A0, B0);
        now += 600_000_000_000L;
        var turns = new HashSet<Set<SourcePartition>>();
        for (var turn = 0; turn < 2; turn++) {
            // Neither waits for the other to have nothing to send.
            move(121 + turn, B0);
            var send = force();
            turns.add(send.entries().keySet());
            answer(send, ACKNOWLEDGED);
        }
        assertThat(turns).containsExactlyInAnyOrder(Set.of(A0), Set.of(B0));
        assertThat(flight.held()).isEmpty();
        move(130, A0, B0);
        assertThat(send().entries()).containsOnlyKeys(A0, B0);
    }

    @Test
    @Tag("CKP-8")
    void aHoldEndsWithTheStretchOfOwning() {
        own(A0);
        move(110, A0);
        answer(send(), REFUSED);
        flight.forget(A0);
        own(A0);
        move(110, A0);
        assertThat(flight.held()).isEmpty();
        assertThat(force().entries()).containsOnlyKeys(A0);
    }

    @Test
    @Tag("CKP-8")
    void aRequestCarriesABoundedMetadataAndTheRestGoesNext() {
        var partitions = new ArrayList<SourcePartition>();
        for (var i = 0; i < 340; i++) partitions.add(partition("a", i));
        var plan = "x".repeat(3000);
        for (var partition : partitions) {
            flight.owned(partition, at(100));
            flight.moved(partition, new CommitEntry(110, -1, plan));
        }
        var sent = new HashSet<SourcePartition>();
        for (var turn = 0; turn < 4; turn++) {
            var send = send();
            assertThat(now).isEqualTo(START + turn * PACE);
            assertThat(send.entries().values().stream()
                            .mapToInt(e -> e.metadata().length())
                            .sum())
                    .isLessThanOrEqualTo(256 * 1024);
            sent.addAll(send.entries().keySet());
            answer(send, ACKNOWLEDGED);
            // Whoever was in moves again: the others still come first.
            for (var partition : send.entries().keySet())
                flight.moved(partition, new CommitEntry(111 + turn, -1, plan));
        }
        assertThat(sent).containsExactlyInAnyOrderElementsOf(partitions);
    }

    @Test
    @Tag("CKP-8")
    void anEntryLargerThanARequestGoesAlone() {
        own(A0, B0);
        flight.moved(A0, new CommitEntry(110, -1, "x".repeat(CommitFlight.METADATA_LIMIT + 1)));
        flight.moved(B0, new CommitEntry(110, -1, "y"));
        var first = send();
        assertThat(first.entries()).containsOnlyKeys(A0);
        answer(first, REFUSED);
        assertThat(flight.held()).containsOnlyKeys(A0);
        assertThat(send().entries()).containsOnlyKeys(B0);
    }

    // --- under effectively-once delivery

    private static final long QUARANTINE = 10_000_000_000L;
    private static final Answer UNKNOWN = new Answer.Unknown();
    private static final Answer LATER = new Answer.Later();

    private final CommitFlight planned = new CommitFlight(INTERVAL, QUARANTINE, START);

    /// Until then, as a source sees it.
    private void pass(long until) {
        while (until - now > 0) {
            now += Math.min(until - now, CommitFlight.LONGEST_STEP_NANOS);
            planned.quarantineNanos(now);
        }
    }

    private Send plannedSend() {
        pass(planned.wakeAtNanos());
        return Objects.requireNonNull(planned.next(false, now));
    }

    @Test
    @DisplayName("EO-5 I8 After a commit timed out, one sent before the old request is dead proves nothing")
    void afterATimeOutOnlyACommitSentAfterTheQuarantineIsSure() {
        planned.owned(A0, at(100));
        assertThat(planned.sure(A0)).as("it was read").isTrue();
        planned.moved(A0, at(110));
        var lost = plannedSend();
        now += 30_000_000_000L;
        planned.answered(lost.attempt(), UNKNOWN, now);
        var over = now + QUARANTINE;
        assertThat(planned.sure(A0)).isFalse();
        while (true) {
            var send = plannedSend();
            if (now - over >= 0) {
                planned.answered(send.attempt(), ACKNOWLEDGED, now);
                break;
            }
            // Also if its answer comes after the end.
            var sent = now;
            if (now - over > -INTERVAL) pass(over + 1);
            assertThat(planned.answered(send.attempt(), ACKNOWLEDGED, now)).isEqualTo(send.entries());
            assertThat(planned.sure(A0))
                    .as("sent %d ns before the end", over - sent)
                    .isFalse();
        }
        assertThat(planned.sure(A0)).isTrue();
        assertThat(planned.isClean()).isTrue();
    }

    @Test
    @DisplayName("EO-5 I8 A clock that leaps ends no quarantine: of the leap half a second counts")
    void aLeapEndsNoQuarantine() {
        planned.owned(A0, at(100));
        planned.moved(A0, at(110));
        planned.answered(plannedSend().attempt(), UNKNOWN, now);
        var over = now + QUARANTINE;
        now += 3_600_000_000_000L;
        var send = Objects.requireNonNull(planned.next(false, now));
        planned.answered(send.attempt(), ACKNOWLEDGED, now);
        assertThat(planned.sure(A0)).isFalse();
        assertThat(planned.quarantineNanos(now)).isEqualTo(QUARANTINE - CommitFlight.LONGEST_STEP_NANOS);
        pass(over + 3_600_000_000_000L - CommitFlight.LONGEST_STEP_NANOS);
        planned.answered(plannedSend().attempt(), ACKNOWLEDGED, now);
        assertThat(planned.sure(A0)).isTrue();
    }

    @Test
    @DisplayName("EO-5 I8 A quarantine is of the partitions that the lost commit carried, and of no other")
    void aQuarantineIsOfEachPartition() {
        planned.owned(A0, at(100));
        planned.owned(B0, at(100));
        planned.moved(A0, at(110));
        planned.answered(plannedSend().attempt(), UNKNOWN, now);
        planned.moved(B0, at(110));
        planned.hurry();
        var both = plannedSend();
        assertThat(both.entries()).containsOnlyKeys(A0, B0);
        planned.answered(both.attempt(), ACKNOWLEDGED, now);
        assertThat(planned.sure(A0)).isFalse();
        assertThat(planned.sure(B0)).isTrue();
        planned.moved(B0, at(120));
        assertThat(planned.sure(B0)).as("what was last acknowledged lasts").isTrue();
    }

    @Test
    @DisplayName("EO-5 I8 A second time-out begins the quarantine anew; an error answer begins none")
    void whatBeginsAQuarantine() {
        planned.owned(A0, at(100));
        planned.moved(A0, at(110));
        planned.answered(plannedSend().attempt(), LATER, now);
        planned.answered(plannedSend().attempt(), REFUSED, now);
        planned.answered(plannedSend().attempt(), ACKNOWLEDGED, now);
        assertThat(planned.sure(A0)).as("an error is an answer").isTrue();
        planned.moved(A0, at(120));
        planned.answered(plannedSend().attempt(), UNKNOWN, now);
        var first = now;
        planned.answered(plannedSend().attempt(), UNKNOWN, now);
        assertThat(now).isGreaterThan(first);
        now = first + QUARANTINE;
        planned.answered(Objects.requireNonNull(planned.next(true, now)).attempt(), ACKNOWLEDGED, now);
        assertThat(planned.sure(A0)).as("the second may still come").isFalse();
    }

    @Test
    @DisplayName("EO-5 The answer of an earlier attempt marks nothing, and frees nothing")
    void aLateAnswerMarksNothing() {
        planned.owned(A0, at(100));
        planned.moved(A0, at(110));
        var lost = plannedSend();
        planned.answered(lost.attempt(), UNKNOWN, now);
        var second = plannedSend();
        assertThat(planned.answered(lost.attempt(), ACKNOWLEDGED, now)).isEmpty();
        assertThat(planned.outstanding()).isTrue();
        assertThat(planned.sure(A0)).isFalse();
        planned.forget(A0);
        planned.owned(A0, at(100));
        assertThat(planned.answered(second.attempt(), ACKNOWLEDGED, now))
                .as("that was another stretch of owning it")
                .isEmpty();
        assertThat(planned.committed(A0)).isEqualTo(at(100));
    }

    @Test
    @DisplayName("EO-5 Asking for forced commits until there is none ends, also while a quarantine lasts")
    void forcedCommitsEndInAQuarantine() {
        planned.owned(A0, at(100));
        planned.moved(A0, at(110));
        planned.answered(plannedSend().attempt(), UNKNOWN, now);
        planned.moved(A0, at(120));
        var again = Objects.requireNonNull(planned.nextOf(Set.of(A0), now));
        assertThat(again.entries()).isEqualTo(Map.of(A0, at(120)));
        planned.answered(again.attempt(), ACKNOWLEDGED, now);
        assertThat(planned.nextOf(Set.of(A0), now)).as("only time tells").isNull();
        assertThat(planned.next(true, now)).isNull();
        planned.moved(A0, at(130));
        assertThat(Objects.requireNonNull(planned.next(true, now)).entries()).isEqualTo(Map.of(A0, at(130)));
    }

    @Test
    @DisplayName("EO-1 A plan that writes wait for does not wait for the interval")
    void aPlanHurries() {
        planned.owned(A0, at(100));
        planned.moved(A0, at(110));
        planned.answered(plannedSend().attempt(), ACKNOWLEDGED, now);
        var before = now;
        planned.moved(A0, new CommitEntry(110, -1, "plan"));
        planned.hurry();
        assertThat(planned.wakeAtNanos()).isEqualTo(before + PACE);
        var first = plannedSend();
        // While it is out too.
        planned.moved(A0, new CommitEntry(110, -1, "plan 2"));
        planned.hurry();
        planned.answered(first.attempt(), ACKNOWLEDGED, now);
        assertThat(planned.wakeAtNanos()).isEqualTo(before + 2 * PACE);
    }

    @Test
    @DisplayName("EO-4 A refusal for the membership is unexplained until somebody comes, goes, or a commit is taken")
    void aRefusalIsExplained() {
        planned.owned(A0, at(100));
        for (var explained : new Runnable[] {
            () -> planned.owned(B0, at(1)),
            () -> planned.forget(B0),
            () -> planned.answered(plannedSend().attempt(), ACKNOWLEDGED, now),
        }) {
            planned.moved(A0, at(Objects.requireNonNull(planned.committed(A0)).offset() + 10));
            planned.answered(plannedSend().attempt(), LATER, now);
            assertThat(planned.unexplained()).isTrue();
            explained.run();
            assertThat(planned.unexplained()).isFalse();
        }
        planned.moved(A0, at(500));
        planned.answered(plannedSend().attempt(), LATER, now);
        planned.answered(plannedSend().attempt(), UNKNOWN, now);
        assertThat(planned.unexplained()).as("a time-out explains nothing").isTrue();
    }
}
