package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.kafka.Letters.Ear;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The loop of dead letters by hand, with the client's own stand-ins for what no single broker can be made to do.
final class LetterThreadTest {
    private static final TopicPartition AT = new TopicPartition("orders", 0);

    private final HeldClock clock = new HeldClock();
    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
    private final List<MockProducer<byte[], byte[]>> producers = new ArrayList<>();
    private final List<Throwable> faults = new ArrayList<>();
    private final LetterThread thread;

    LetterThreadTest() {
        clock.hold();
        var outcomes = new LetterThread.Outcomes() {
            @Override
            public void acknowledged(Sending sending, boolean withoutOriginal) {
                sending.acknowledged();
            }

            @Override
            public void failed(Sending sending, Exception why) {
                sending.failures++;
                sending.dueNanos = clock.nanoTime() + 1_000_000_000L;
                sending.failed(new dev.millrace.sinkpool.Failure(
                        why.getClass().getSimpleName(), String.valueOf(why.getMessage()), true));
                Objects.requireNonNull(thread).add(sending);
            }

            @Override
            public void unread(Sending sending, Exception why) {
                failed(sending, why);
            }

            @Override
            public void died(Throwable fault) {
                faults.add(fault);
            }
        };
        var parts = new LetterThread.Parts(
                this::producer,
                new Originals(consumer, clock),
                read -> DeadLetterRecord.of("orders.dead", "shop", read.sending().letter, read.original(), false),
                outcomes);
        thread = new LetterThread(parts, producer(), clock);
    }

    private MockProducer<byte[], byte[]> producer() {
        var made = new MockProducer<byte[], byte[]>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        producers.add(made);
        return made;
    }

    private Ear add(long offset) {
        var ear = new Ear();
        thread.add(new Sending(Letters.of("orders", 0, offset), ear));
        return ear;
    }

    /// A turn in which the consumer finds this record.
    private void turn(long offset) throws Exception {
        consumer.schedulePollTask(() -> {
            consumer.updateBeginningOffsets(Map.of(AT, 0L));
            consumer.addRecord(new ConsumerRecord<>("orders", 0, offset, new byte[] {1}, new byte[] {2}));
        });
        thread.turn();
    }

    private MockProducer<byte[], byte[]> last() {
        return producers.getLast();
    }

    @Test
    @DisplayName(
            "CASE-18, POI-9: too few replicas in sync is a failure that is told, and the letter goes again by the same producer")
    void tooFewReplicasAreWaitedFor() throws Exception {
        var ear = add(5);
        turn(5);
        assertThat(last().errorNext(new NotEnoughReplicasException("1 of 2"))).isTrue();
        assertThat(ear.heard()).containsExactly("NotEnoughReplicasException");
        clock.pass(1_000_000_000L);
        turn(5);
        if (last().history().size() == 1) turn(5);
        assertThat(last().completeNext()).isTrue();
        assertThat(ear.heard()).containsExactly("NotEnoughReplicasException", "acknowledged");
        assertThat(producers).hasSize(1);
    }

    @Test
    @DisplayName("POI-9: a producer that may be broken for life is replaced, whether it answers so or throws")
    void aBrokenProducerIsReplaced() throws Exception {
        var ear = add(5);
        turn(5);
        last().errorNext(new ClusterAuthorizationException("no"));
        clock.pass(1_000_000_000L);
        turn(5);
        if (producers.size() == 1) turn(5);
        assertThat(producers.getFirst().closed()).isTrue();
        assertThat(producers).hasSize(2);
        last().errorNext(new NotEnoughReplicasException("1 of 2"));
        last().sendException = new KafkaException("in an error state");
        clock.pass(1_000_000_000L);
        turn(5);
        if (ear.heard().size() == 2) turn(5);
        clock.pass(1_000_000_000L);
        turn(5);
        if (producers.size() == 2) turn(5);
        assertThat(producers).hasSize(3);
        assertThat(last().completeNext()).isTrue();
        assertThat(ear.heard())
                .containsExactly(
                        "ClusterAuthorizationException",
                        "NotEnoughReplicasException",
                        "KafkaException",
                        "acknowledged");
    }

    @Test
    @Tag("POI-9")
    void noMoreThanAWindowIsWithTheProducer() throws Exception {
        for (var n = 0; n < LetterThread.MOST_SENT + 10; n++) add(5);
        turn(5);
        var first = last().history().size();
        add(6);
        turn(6);
        assertThat(last().history()).as("nothing more is read").hasSize(first);
        while (last().completeNext()) assertThat(faults).isEmpty();
        turn(6);
        assertThat(last().history()).hasSize(first + 1);
    }

    @Test
    @DisplayName("INPUT-20: headers count in what is with the producer, however small key and value are")
    void largeHeadersFillTheWindow() throws Exception {
        add(5);
        var wide = new byte[(int) LetterThread.MOST_SENT_BYTES];
        consumer.schedulePollTask(() -> {
            consumer.updateBeginningOffsets(Map.of(AT, 0L));
            var record = new ConsumerRecord<>("orders", 0, 5, new byte[] {1}, new byte[] {2});
            record.headers().add("wide", wide);
            consumer.addRecord(record);
        });
        thread.turn();
        assertThat(last().history()).hasSize(1);
        add(6);
        turn(6);
        assertThat(last().history()).as("nothing more is read").hasSize(1);
        assertThat(last().completeNext()).isTrue();
        turn(6);
        assertThat(last().history()).hasSize(2);
    }
}
