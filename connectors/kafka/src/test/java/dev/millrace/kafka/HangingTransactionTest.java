package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.millrace.lab.Topics;
import dev.millrace.sinkpool.MemoryIntake;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class HangingTransactionTest {
    private static final Topics TOPICS = SharedBroker.topics();

    /// What the watch logs, while it is open.
    private static final class Told extends AppenderBase<ILoggingEvent> implements AutoCloseable {
        final List<String> lines = new CopyOnWriteArrayList<>();
        private final Logger logger = (Logger) LoggerFactory.getLogger(TopicWatch.class);

        Told() {
            setContext(logger.getLoggerContext());
            start();
            logger.setLevel(ch.qos.logback.classic.Level.INFO);
            logger.addAppender(this);
        }

        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.getKeyValuePairs() + " " + event.getFormattedMessage());
        }

        long count(String event, String partition) {
            return lines.stream()
                    .filter(line -> line.contains(event) && line.contains("partition=" + partition + " "))
                    .count();
        }

        @Override
        public void close() {
            logger.detachAppender(this);
            logger.setLevel(null);
        }
    }

    private static @Nullable HangingTransaction hangs(Rig rig) {
        return rig.source.view().partitions().getFirst().transaction();
    }

    private static KafkaProducer<byte[], byte[]> producer(String id) {
        var producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        SharedBroker.bootstrap(),
                        "transactional.id",
                        id,
                        "transaction.timeout.ms",
                        600_000),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        producer.initTransactions();
        return producer;
    }

    @Test
    @Tag("SRC-13")
    void itIsToldWithItsPartitionItsAgeAndItsProducerUntilItEnds() throws Exception {
        var topic = SharedBroker.fresh("hanging");
        TOPICS.create(topic, 1);
        TOPICS.produce(topic, 1, 20);
        try (var told = new Told();
                var producer = producer(topic);
                var rig = Rig.started(
                        Rig.settings(KafkaSourceSettings.GroupProtocol.CLASSIC, topic, topic), new MemoryIntake())) {
            rig.awaitRows(20);
            producer.beginTransaction();
            for (var record : Topics.records(topic, 1, 20, 5))
                assertThat(producer.send(record).get().hasOffset()).isTrue();
            TOPICS.produce(Topics.records(topic, 1, 25, 10));

            Await.until("told, and told again", () -> told.count("transaction_hangs", topic + "-0") >= 2);
            var hangs = Objects.requireNonNull(hangs(rig));
            assertThat(hangs.stableOffset()).isEqualTo(20);
            assertThat(hangs.ageNanos()).isGreaterThanOrEqualTo(2_000 * Rig.MS);
            assertThat(hangs.producerId()).isNotNull();
            assertThat(told.lines)
                    .anySatisfy(line -> assertThat(line)
                            .contains("stable_offset=20 behind_it=15")
                            .contains("producer_id=" + hangs.producerId()));
            assertThat(rig.intake.writes())
                    .as("what stands behind it is nobody's yet")
                    .hasSize(20);

            producer.commitTransaction();
            rig.awaitRows(35);
            Await.until("its end is told", () -> told.count("transaction_hung", topic + "-0") == 1);
            assertThat(hangs(rig)).isNull();
            rig.drain();
            assertThat(rig.failures).isEmpty();
        }
    }
}
