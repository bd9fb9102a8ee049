package dev.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EmbeddedBrokerTest {
    private EmbeddedBroker broker;
    private Topics topics;

    @BeforeAll
    void launch() {
        broker = EmbeddedBroker.launch(BrokerSettings.small().with("message.max.bytes", "2000000"));
        topics = new Topics(broker.bootstrapServers());
    }

    @AfterAll
    void close() {
        topics.close();
        broker.close();
    }

    @Test
    void whatIsProducedIsReadBackInOrder() {
        topics.create("orders", 1);
        var sent = Topics.records("orders", 7, 0, 100);

        topics.produce(sent);

        assertThat(topics.readAll("orders"))
                .extracting(r -> new String(r.value(), StandardCharsets.UTF_8))
                .containsExactlyElementsOf(sent.stream()
                        .map(r -> new String(r.value(), StandardCharsets.UTF_8))
                        .toList());
    }

    @Test
    void theSameSeedGivesTheSameBytes() {
        var once = Topics.records("t", 3, 5, 2);
        var again = Topics.records("t", 3, 0, 7);

        assertThat(once.getLast().value()).isEqualTo(again.getLast().value());
        assertThat(Topics.records("t", 4, 5, 2).getLast().value())
                .isNotEqualTo(once.getLast().value());
    }

    @Test
    void anAbortedTransactionLeavesOffsetsWithoutRecords() {
        topics.create("gaps", 1);
        topics.produceAborted(Topics.records("gaps", 1, 0, 3));
        topics.produceCommitted(Topics.records("gaps", 1, 3, 2));

        assertThat(topics.readAll("gaps")).extracting(r -> r.offset()).containsExactly(4L, 5L);
        assertThat(topics.endOffsets("gaps")).containsExactly(Map.entry(new TopicPartition("gaps", 0), 7L));
    }

    @Test
    void aRestartKeepsPortRecordsAndCommittedOffsets() {
        topics.create("kept", 2);
        topics.produce("kept", 1, 50);
        var partition = new TopicPartition("kept", 1);
        topics.commit("keepers", Map.of(partition, 11L));
        String before = broker.bootstrapServers();

        broker.stop();
        assertThat(broker.running()).isFalse();
        broker.start();

        assertThat(broker.bootstrapServers()).isEqualTo(before);
        assertThat(topics.readAll("kept")).hasSize(50);
        assertThat(topics.committed("keepers")).containsExactly(Map.entry(partition, 11L));
    }

    @Test
    void aTopicIsNotMadeByAskingForIt() {
        assertThatThrownBy(() -> topics.endOffsets("nobody-made-this"))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("nobody-made-this")
                .hasCauseInstanceOf(UnknownTopicOrPartitionException.class);
    }

    @Test
    void aDeletedTopicIsGone() {
        topics.create("short-lived", 1);
        topics.delete("short-lived");

        assertThatThrownBy(() -> topics.endOffsets("short-lived")).isInstanceOf(LabException.class);
    }

    @Test
    void aTakenPortIsAnExceptionAndNotTheEndOfTheJvm(@TempDir Path directory) throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var settings = BrokerSettings.small().in(directory).onPort(taken.getLocalPort());

            assertThatThrownBy(() -> EmbeddedBroker.launch(settings))
                    .isInstanceOf(LabException.class)
                    .hasMessageContaining(String.valueOf(taken.getLocalPort()));
        }
    }

    @Test
    void itsOwnDirectoryIsDeletedAndAGivenOneKept(@TempDir Path given) {
        Path own;
        try (var other = EmbeddedBroker.launch()) {
            own = other.directory();
            assertThat(own).isDirectory();
        }
        assertThat(own).doesNotExist();

        EmbeddedBroker.launch(BrokerSettings.small().in(given)).close();
        assertThat(Files.exists(given.resolve("meta.properties"))).isTrue();
    }
}
