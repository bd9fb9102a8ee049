package dev.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.sinkpool.AdmissionBudget;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LeakDetectorTest {
    @RegisterExtension
    final LeakDetector clean = new LeakDetector();

    private final LeakDetector leaks = new LeakDetector();

    @Test
    void aTestThatClosesItsHandlesPasses() {
        var ack = tracker(clean.watch(new OpenHandles())).register(0, 10, -1, (_, _) -> {});
        ack.close();
    }

    @Test
    void anOpenHandleFailsTheTest() {
        var ack = tracker(leaks.watch(new OpenHandles())).register(0, 10, -1, (_, _) -> {});
        assertThatThrownBy(leaks::check)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("1 acknowledgement handles are open");
        ack.close();
        assertThatCode(leaks::check).doesNotThrowAnyException();
    }

    @Test
    void aLeaseThatIsNotGivenBackFailsTheTest() {
        var lease = leaks.watch(new AdmissionBudget(10, 1_000, 0.5)).take(3, 40);
        assertThatThrownBy(leaks::check).hasMessageContaining("3 rows and 40 bytes");
        lease.close();
        assertThatCode(leaks::check).doesNotThrowAnyException();
    }

    private static PartitionTracker tracker(OpenHandles handles) {
        return new PartitionTracker(new SourcePartition("orders", TopicId.UNKNOWN, 0), 1, 0, -1, 8, handles);
    }
}
