package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.kafka.KafkaSourceSettings.GroupProtocol;
import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import dev.millrace.lab.Topics;
import dev.millrace.sinkpool.MemoryIntake;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What the source relies on in a broker, whichever broker it is: a subclass says how one is started.
///
/// Thread ownership: the test thread.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BrokerContract {
    /// A broker that takes requests, and how it is ended.
    record Running(String bootstrapServers, AutoCloseable broker) {}

    private static final int PARTITIONS = 3;

    private Running running;
    private Topics topics;

    /// Starts a broker. An assumption that fails here skips the whole contract.
    abstract Running launch();

    @BeforeAll
    void begin() {
        running = launch();
        topics = new Topics(running.bootstrapServers());
    }

    @AfterAll
    void end() throws Exception {
        if (topics != null) topics.close();
        if (running != null) running.broker().close();
    }

    private Rig source(GroupProtocol protocol, String name) throws StartRefused {
        var settings = KafkaSourceSettings.of(running.bootstrapServers(), new Subscription.Named(List.of(name)), name);
        return Rig.started(Rig.quick(protocol, settings), new MemoryIntake());
    }

    private static void assertOnce(Rig rig, int rows) {
        assertThat(rig.failures).isEmpty();
        assertThat(rig.intake.writes())
                .hasSize(rows)
                .allSatisfy((_, times) -> assertThat(times).isEqualTo(1));
    }

    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    @Tag("DRN-9")
    void aNewGroupBeginsAtTheEarliestAndItsNextRunGoesOnFromWhatWasCommitted(GroupProtocol protocol) throws Exception {
        var name = SharedBroker.fresh("contract");
        topics.create(name, PARTITIONS);
        topics.produce(Topics.records(name, 1, 0, 1000));
        try (var first = source(protocol, name)) {
            first.awaitRows(1000);
            first.drain();
            assertOnce(first, 1000);
        }
        assertThat(topics.committed(name)).isEqualTo(topics.endOffsets(name));

        topics.produce(Topics.records(name, 1, 1000, 500));
        try (var second = source(protocol, name)) {
            second.awaitRows(500);
            second.drain();
            assertOnce(second, 500);
            var ids = second.intake.rows().stream().map(row -> id(row.text())).sorted();
            assertThat(ids).first().isEqualTo(1000);
        }
        assertThat(topics.committed(name)).isEqualTo(topics.endOffsets(name));
    }

    private static int id(String row) {
        return Integer.parseInt(row.substring("{\"id\":".length(), row.indexOf(',')));
    }

    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    @Tag("SRC-5")
    @Tag("CKP-5")
    void abortedTransactionsAreNotReadAndTheirMarkersAreCommittedOver(GroupProtocol protocol) throws Exception {
        var name = SharedBroker.fresh("contract");
        topics.create(name, 1);
        topics.produceCommitted(Topics.records(name, 1, 0, 20));
        topics.produceAborted(Topics.records(name, 1, 20, 30));
        try (var source = source(protocol, name)) {
            source.awaitRows(20);
            source.awaitLagZero(1);
            source.drain();
            assertOnce(source, 20);
        }
        assertThat(topics.committed(name)).containsEntry(new TopicPartition(name, 0), 52L);
    }
}
