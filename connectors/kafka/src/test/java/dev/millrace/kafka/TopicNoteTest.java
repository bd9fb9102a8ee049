package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.TopicId;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("SRC-8")
final class TopicNoteTest {
    @Test
    void whatWasWrittenIsReadBack() {
        for (var i = 0; i < 50; i++) {
            var id = new TopicId(Uuid.randomUuid().toString());
            assertThat(TopicNote.read(TopicNote.of(id))).isEqualTo(new TopicNote.Of(id));
        }
        assertThat(TopicNote.of(TopicId.UNKNOWN)).isEmpty();
    }

    @Test
    void somebodyElsesTextIsToldApart() {
        var good = TopicNote.of(new TopicId(Uuid.randomUuid().toString()));
        assertThat(TopicNote.read("")).isInstanceOf(TopicNote.Nothing.class);
        assertThat(TopicNote.read("s1.AAAA")).isInstanceOf(TopicNote.Plan.class);
        for (var foreign : new String[] {
            "x", good + "A", good.substring(1), "t2" + good.substring(2), "t1." + " ".repeat(22), "é".repeat(25)
        }) assertThat(TopicNote.read(foreign)).as(foreign).isInstanceOf(TopicNote.Foreign.class);
    }
}
