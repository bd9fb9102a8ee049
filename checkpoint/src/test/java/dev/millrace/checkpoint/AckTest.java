package dev.millrace.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class AckTest {
    private final OpenHandles handles = new OpenHandles();
    private final List<Resolution> told = new ArrayList<>();
    private final PartitionTracker tracker =
            new PartitionTracker(new SourcePartition("orders", TopicId.UNKNOWN, 0), 1, 0, -1, 16, handles);

    private Ack ack() {
        return tracker.register(tracker.end(), tracker.end() + 10, -1, (_, resolution) -> told.add(resolution));
    }

    @AfterEach
    void nothingIsLeftOpen() {
        assertThat(handles.count()).isZero();
    }

    @Test
    @Tag("CKP-2")
    @Tag("CKP-3")
    void aRangeWithoutPartsIsDoneAtClose() {
        var ack = ack();
        assertThat(told).isEmpty();
        ack.close();
        assertThat(told).containsExactly(Resolution.DONE);
    }

    @Test
    @Tag("CKP-3")
    void aRangeResolvesOnceWithItsLastPart() {
        var ack = ack();
        var first = ack.part();
        var second = ack.part();
        second.resolve(Resolution.DONE);
        ack.close();
        assertThat(told).isEmpty();
        first.resolve(Resolution.DONE);
        assertThat(told).containsExactly(Resolution.DONE);
    }

    @Test
    @Tag("CKP-3")
    void partsResolvedBeforeTheLastIsTakenDoNotEndTheRange() {
        var ack = ack();
        ack.part().resolve(Resolution.DONE);
        var second = ack.part();
        assertThat(told).isEmpty();
        ack.close();
        assertThat(told).isEmpty();
        second.resolve(Resolution.DONE);
        assertThat(told).containsExactly(Resolution.DONE);
    }

    @Test
    @Tag("CKP-3")
    void theWorstOutcomeWinsWhateverItsOrder() {
        for (var failed = 0; failed < 3; failed++) {
            told.clear();
            var ack = ack();
            var parts = List.of(ack.part(), ack.part(), ack.part());
            ack.close();
            for (var i = 0; i < 3; i++) parts.get(i).resolve(i == failed ? Resolution.FAILED : Resolution.DONE);
            assertThat(told).containsExactly(Resolution.FAILED);
        }
    }

    @Test
    @Tag("CKP-3")
    void aPartThatNobodyResolvedFails() {
        var ack = ack();
        try (var dropped = ack.part()) {
            assertThat(dropped.range()).isEqualTo(ack.range());
        }
        ack.close();
        assertThat(told).containsExactly(Resolution.FAILED);
    }

    @Test
    @Tag("CKP-3")
    void aPartIsOneShot() {
        var ack = ack();
        var part = ack.part();
        var other = ack.part();
        ack.close();
        assertThat(part.resolve(Resolution.DONE)).isTrue();
        assertThat(part.resolve(Resolution.FAILED)).isFalse();
        part.close();
        assertThat(told).isEmpty();
        other.resolve(Resolution.DONE);
        assertThat(told).containsExactly(Resolution.DONE);
    }

    @Test
    @Tag("CKP-3")
    void aSourceThatGivesUpFailsTheRangeThoughItsPartsAreDone() {
        var ack = ack();
        var part = ack.part();
        ack.fail();
        ack.close();
        part.resolve(Resolution.DONE);
        assertThat(told).containsExactly(Resolution.FAILED);
    }

    @Test
    @Tag("CKP-3")
    void aClosedAckTakesNoPartAndNoFailure() {
        var ack = ack();
        ack.close();
        ack.close();
        assertThat(told).containsExactly(Resolution.DONE);
        assertThatThrownBy(ack::part).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(ack::fail).isInstanceOf(IllegalStateException.class);
        assertThat(told).containsExactly(Resolution.DONE);
    }

    @Test
    @Tag("CKP-3")
    void anUnresolvedHandleIsCountedUntilItEnds() {
        var ack = ack();
        var part = ack.part();
        assertThat(handles.count()).isEqualTo(2);
        ack.close();
        assertThat(handles.count()).isEqualTo(1);
        part.close();
        part.close();
        assertThat(handles.count()).isZero();
    }
}
