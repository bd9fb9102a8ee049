package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.kafka.KafkaSourceSettings.Skip;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Which offsets `source.kafka.skip` leaves out.
@Tag("SRC-14")
final class LeftOutTest {
    private static final TopicPartition AT = new TopicPartition("orders", 0);

    private static LeftOut places(long... firstsAndLasts) {
        var skips = new ArrayList<Skip>();
        for (var n = 0; n < firstsAndLasts.length; n += 2)
            skips.add(new Skip("orders", 0, firstsAndLasts[n], firstsAndLasts[n + 1]));
        skips.add(new Skip("orders", 1, 0, 1_000_000));
        skips.add(new Skip("payments", 0, 0, 1_000_000));
        return new LeftOut(skips);
    }

    /// A word for each part of a poll from `position` that gave these records.
    private static String taken(LeftOut places, long position, long next, long... offsets) {
        var records = LongStream.of(offsets)
                .mapToObj(offset -> new ConsumerRecord<ByteBuffer, ByteBuffer>("orders", 0, offset, null, null))
                .toList();
        var batches = new ArrayList<SourceEvent.Batch>();
        places.take(Bench.P0, position, records, new OffsetAndMetadata(next), batches);
        return String.join(" ", batches.stream().map(LeftOutTest::word).toList());
    }

    private static String word(SourceEvent.Batch batch) {
        if (batch.leftOut()) return "-" + batch.next();
        var records = batch.records();
        var offsets = new ArrayList<Long>();
        for (var n = 0; records != null && n < records.size(); n++) offsets.add(records.offset(n));
        return offsets.toString().replace(" ", "") + batch.next();
    }

    @Test
    @DisplayName("SRC-14: places that overlap or touch are passed at once, in whatever order they stand")
    void placesAreOneSetOfOffsets() {
        for (var places :
                List.of(places(200, 263, 200, 200), places(200, 200, 200, 263), places(230, 263, 201, 240, 200, 200))) {
            assertThat(places.past(AT, 200)).isEqualTo(264);
            assertThat(places.past(AT, 263)).isEqualTo(264);
            assertThat(places.past(AT, 199)).isEqualTo(199);
            assertThat(places.past(AT, 264)).isEqualTo(264);
        }
    }

    @Test
    void aPollThatGivesNothingOfItIsTakenWhole() {
        assertThat(taken(new LeftOut(List.of()), 199, 201, 199, 200)).isEqualTo("[199,200]201");
        assertThat(taken(places(205, 205), 199, 201, 200)).isEqualTo("[200]201");
        assertThat(taken(places(205, 205), 201, 201)).isEqualTo("[]201");
    }

    @Test
    @DisplayName("SRC-14: a record that stands behind a hole is left out too, and each of its offsets counted once")
    void whatStandsBehindAHoleIsLeftOut() {
        assertThat(taken(places(200, 200), 199, 201, 200)).isEqualTo("[]200 -201");
        assertThat(taken(places(200, 263), 199, 206, 205)).isEqualTo("[]200 -206");
        assertThat(taken(places(200, 200), 198, 203, 198, 200, 202)).isEqualTo("[198]200 -201 [202]203");
        assertThat(taken(places(202, 202, 199, 200, 200, 200), 199, 204, 199, 201, 202, 203))
                .isEqualTo("-201 [201]202 -203 [203]204");
    }

    @Test
    void whatAPollPassedThoughNothingStoodThereIsTold() {
        assertThat(taken(places(200, 200), 199, 202, 201)).isEqualTo("[]200 -201 [201]202");
        assertThat(taken(places(200, 200), 199, 202)).isEqualTo("[]200 -201 []202");
    }
}
