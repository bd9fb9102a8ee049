package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.kafka.KafkaSourceSettings.Skip;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.MemoryIntake;
import dev.millrace.sinkpool.NanoClock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// One member on a consumer in memory: its thread is the test's.
@Tag("SRC-14")
final class SourceMemberTest {
    private static final ByteBuffer VALUE = ByteBuffer.wrap("{}".getBytes(StandardCharsets.UTF_8));
    private static final TopicPartition AT = new TopicPartition("orders", 0);

    private final List<String> told = new ArrayList<>();
    private final MemoryIntake intake = new MemoryIntake();
    private final SourceCounters counters = new SourceCounters();

    private final class Told implements SourceMember.Outcomes {
        @Override
        public void inputFinished(int member) {}

        @Override
        public void failed(int member, int exitCode, String reason) {
            told.add(exitCode + " " + reason);
        }

        @Override
        public void ended(int member) {
            told.add("ended");
        }

        @Override
        public void plansNotKept() {}

        @Override
        public void newestTokens(SourcePartition partition, Map<Integer, Long> tokens) {}

        @Override
        public Map<TopicPartition, Long> ends(Set<TopicPartition> of) {
            return Map.of();
        }
    }

    private SourceMember member(
            List<Skip> skips,
            Consumer<ByteBuffer, ByteBuffer> consumer,
            Supplier<Consumer<ByteBuffer, ByteBuffer>> alone) {
        var settings = Bench.settings().skips(skips);
        var sinks = List.of(Bench.sink(1));
        var accounts = new Accounts(sinks);
        var shared = new SourceMember.Shared(
                settings,
                _ -> consumer,
                new Oversized(alone, NanoClock.SYSTEM),
                NanoClock.SYSTEM,
                accounts,
                counters,
                new Told());
        var member = new SourceMember(
                0,
                shared,
                (inbox, now) -> new SourceMachine(
                        new SourceMachine.Parts(
                                settings,
                                sinks,
                                intake,
                                inbox,
                                new OpenHandles(),
                                () -> 1,
                                counters,
                                DeadLetters.none()),
                        accounts::of,
                        now));
        member.open();
        return member;
    }

    /// Gives one record a poll, of each of these offsets, and ends the member behind the last.
    private static class Log extends MockConsumer<ByteBuffer, ByteBuffer> {
        private final List<Long> offsets;
        private @Nullable SourceMember member;
        private int empty;
        private long last;

        Log(Long... offsets) {
            super("none");
            this.offsets = List.of(offsets);
            updateBeginningOffsets(Map.of(AT, offsets[0]));
        }

        void of(SourceMember one) {
            member = one;
        }

        @Override
        public synchronized ConsumerRecords<ByteBuffer, ByteBuffer> poll(Duration timeout) {
            var mine = Objects.requireNonNull(member);
            if (assignment().isEmpty()) {
                rebalance(List.of(AT));
                mine.identified(Map.of("orders", Bench.ID));
                return super.poll(timeout);
            }
            if (paused().isEmpty()) {
                var position = position(AT);
                last = position;
                var next = offsets.stream().filter(offset -> offset >= position).findFirst();
                next.ifPresent(offset -> addRecord(new ConsumerRecord<>("orders", 0, offset, null, VALUE.duplicate())));
                if (next.isEmpty() && ++empty > 1) mine.finish(System.nanoTime());
            }
            return super.poll(timeout);
        }
    }

    @Test
    @DisplayName("SRC-14: places that overlap are passed once, and the member reads on behind them")
    void placesThatOverlapArePassedOnce() {
        for (var skips : List.of(
                List.of(new Skip("orders", 0, 200, 263), new Skip("orders", 0, 200, 200)),
                List.of(new Skip("orders", 0, 200, 200), new Skip("orders", 0, 200, 263)))) {
            var skipped = counters.offsetsSkipped();
            var log = new Log(200L, 230L, 264L, 265L);
            var member = member(skips, log, () -> log);
            log.of(member);
            member.run();
            assertThat(told).containsOnly("ended");
            assertThat(counters.offsetsSkipped() - skipped).isEqualTo(64);
            assertThat(log.last).isEqualTo(266);
        }
    }

    @Test
    @DisplayName("SRC-14: a record behind a hole is not taken where the file leaves it out")
    void aRecordBehindAHoleIsLeftOut() {
        var log = new Log(198L, 200L, 201L);
        var member = member(List.of(new Skip("orders", 0, 200, 200)), log, () -> log);
        log.of(member);
        member.run();
        assertThat(told).containsExactly("ended");
        assertThat(counters.offsetsSkipped()).isOne();
        assertThat(intake.writes()).hasSize(2);
    }

    private static List<KafkaException> passing() {
        return List.of(
                new TimeoutException("no answer"),
                new UnknownMemberIdException("the group has forgotten it"),
                new StaleMemberEpochException("it is in the group anew"));
    }

    @ParameterizedTest
    @MethodSource("passing")
    @DisplayName("a poll that fails since the group is without the member for now ends nothing")
    void aPollThatFailsForNowEndsNothing(KafkaException failure) {
        var log = new Log(200L, 201L, 202L) {
            private int polls;

            @Override
            public synchronized ConsumerRecords<ByteBuffer, ByteBuffer> poll(Duration timeout) {
                if (polls++ == 2) throw failure;
                return super.poll(timeout);
            }
        };
        var member = member(List.of(), log, () -> log);
        log.of(member);
        member.run();
        assertThat(told).containsExactly("ended");
        assertThat(intake.writes()).hasSize(3);
    }

    @Test
    @Tag("DRN-10")
    @DisplayName("DRN-10: memory that runs out again while the place is looked for does not hide that the member died")
    void theEndIsToldThoughTheLookForItsCauseFails() {
        var spent = new MockConsumer<ByteBuffer, ByteBuffer>("none") {
            @Override
            public synchronized ConsumerRecords<ByteBuffer, ByteBuffer> poll(Duration timeout) {
                throw new OutOfMemoryError("Java heap space");
            }
        };
        member(List.of(), spent, () -> {
                    throw new OutOfMemoryError("and again");
                })
                .run();
        assertThat(told).hasSize(2);
        assertThat(told.getFirst())
                .startsWith("5 out of memory (Java heap space)")
                .contains("-Xmx");
        assertThat(told.getLast()).isEqualTo("ended");
    }
}
