package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.kafka.KafkaSourceSettings.GroupProtocol;
import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import dev.millrace.lab.Topics;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.RecordView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A source's log, read again in pieces on a real broker.
@Timeout(120)
class SourceLogTest {
    /// What was shown.
    private static final class Seen implements SourceLog.Reader {
        final List<Long> offsets = new ArrayList<>();
        final List<String> gone = new ArrayList<>();

        @Override
        public void record(RecordView record) {
            offsets.add(record.offset());
        }

        @Override
        public void gone(long from, long to) {
            gone.add(from + "-" + to);
        }
    }

    private static KafkaSourceSettings settings(String topic, GroupProtocol protocol) {
        return KafkaSourceSettings.of(
                        SharedBroker.bootstrap(), new Subscription.Named(List.of(topic)), topic + "-group")
                .groupProtocol(protocol)
                .properties(Map.of("max.poll.records", "7"));
    }

    private static List<LogStretch> stretches(SourceLog log, String from, String to) throws StartRefused {
        return log.stretches(
                new StretchesAsked(Set.of(), Set.of(), OffsetBound.parse(from), OffsetBound.parse(to)),
                new ArrayList<>());
    }

    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    @DisplayName(
            "EO-12: whatever the pieces, each committed record is shown once, in order, and what retention took is told")
    void inPieces(GroupProtocol protocol) throws Exception {
        var topics = SharedBroker.topics();
        var topic = SharedBroker.fresh("pieces");
        topics.create(topic, 1);
        for (var round = 0; round < 10; round++) {
            topics.produce(Topics.records(topic, round, 0, 15));
            topics.produceAborted(Topics.records(topic, round, 0, 11));
            topics.produceCommitted(Topics.records(topic, round, 0, 3));
        }
        var all = topics.readAll(topic).stream().map(ConsumerRecord::offset).toList();
        long end = topics.endOffsets(topic).getOrDefault(new TopicPartition(topic, 0), -1L);
        var random = new Random(7);
        try (var log = new SourceLog(settings(topic, protocol), NanoClock.SYSTEM)) {
            assertThat(stretches(log, "beginning", "end")).containsExactly(new LogStretch(topic, 0, 0, end, -1, false));
            for (var most : List.of(1, 5, 40, 1_000)) {
                var seen = new Seen();
                log.begin(new LogStretch(topic, 0, 0, end + 20, -1, false));
                for (var at = 0L; at < end + 20; ) {
                    at = Math.min(end + 20, at + 1 + random.nextInt(most));
                    log.readTo(at, seen);
                    var to = at;
                    assertThat(seen.offsets)
                            .isEqualTo(
                                    all.stream().filter(offset -> offset < to).toList());
                }
                assertThat(seen.gone).isEmpty();
            }

            // Retention moves on while it is read, below and above what was polled.
            var seen = new Seen();
            log.begin(new LogStretch(topic, 0, 3, end, -1, false));
            log.readTo(5, seen);
            deleteBelow(topic, 100);
            log.readTo(50, seen);
            log.readTo(120, seen);
            log.readTo(end, seen);
            assertThat(seen.gone).containsExactly("5-50", "50-100");
            assertThat(seen.offsets)
                    .isEqualTo(all.stream()
                            .filter(offset -> offset == 3 || offset == 4 || offset >= 100)
                            .toList());
            assertThat(stretches(log, "beginning", "end").getFirst().from()).isEqualTo(100);
        }
    }

    private static void deleteBelow(String topic, long offset) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", SharedBroker.bootstrap()))) {
            admin.deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(offset)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }
}
