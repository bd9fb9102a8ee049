package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.sinkpool.MemoryIntake;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The commits that a member waits for, against a broker that is in a rebalance.
final class MemberCommitsTest {
    private static final SourcePartition P0 = new SourcePartition("orders", TopicId.UNKNOWN, 0);

    /// Refuses commits as long as it is told to.
    private static final class Consumer extends MockConsumer<ByteBuffer, ByteBuffer> {
        final ArrayDeque<RuntimeException> refusals = new ArrayDeque<>();
        Map<TopicPartition, OffsetAndMetadata> committed = Map.of();

        Consumer() {
            super("none");
        }

        @Override
        public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            var refusal = refusals.poll();
            if (refusal != null) throw refusal;
            if (!offsets.isEmpty()) committed = Map.copyOf(offsets);
        }
    }

    private static final class ToBench implements MemberEvents {
        final Bench bench;

        ToBench(Bench bench) {
            this.bench = bench;
        }

        @Override
        public void now(SourceEvent event) {
            bench.tell(event);
        }

        @Override
        public void later(SourceEvent event) {
            bench.inbox.add(event);
        }

        @Override
        public void takeInbox() {
            bench.takeInbox();
        }
    }

    @Test
    @Tag("DRN-1")
    void aCommitThatARebalanceRefusesIsLeftForAfterAPollAndTakenThen() {
        var bench = Bench.of(new MemoryIntake());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 3);
        bench.emptyPoll();
        try (var consumer = new Consumer()) {
            var commits = new MemberCommits(
                    consumer, bench.machine, new ToBench(bench), new CommitTrouble(0), () -> bench.now);
            consumer.refusals.add(new RebalanceInProgressException());
            assertThat(commits.commitNow(null, bench.now + 1_000_000_000L)).isFalse();
            assertThat(consumer.committed).isEmpty();
            assertThat(commits.commitNow(null, bench.now + 1_000_000_000L)).isTrue();
            assertThat(consumer.committed.keySet()).containsExactly(new TopicPartition("orders", 0));
            assertThat(consumer.committed.values().iterator().next().offset()).isEqualTo(3);
            assertThat(bench.committed(P0)).isEqualTo(3);
        }
    }
}
