package dev.millrace.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("SRC-8")
final class CommitNoteTest {
    @Test
    void whatWasWrittenIsReadBack() {
        var random = new Random(1);
        for (var i = 0; i < 50; i++) {
            var id = topicId(random);
            assertThat(CommitNote.read(CommitNote.of(id), 7)).isEqualTo(new CommitNote.Of(id));
        }
        assertThat(CommitNote.of(TopicId.UNKNOWN)).isEmpty();
    }

    static TopicId topicId(Random random) {
        var bytes = new byte[16];
        random.nextBytes(bytes);
        return new TopicId(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
    }

    @Test
    void somebodyElsesTextIsToldApart() {
        var good = CommitNote.of(topicId(new Random(2)));
        assertThat(CommitNote.read("", 0)).isInstanceOf(CommitNote.Nothing.class);
        assertThat(CommitNote.read("s1.AAAA", 0)).isInstanceOf(CommitNote.Unreadable.class);
        for (var foreign : new String[] {
            "x", good + "A", good.substring(1), "t2" + good.substring(2), "t1." + " ".repeat(22), "é".repeat(25)
        }) assertThat(CommitNote.read(foreign, 0)).as(foreign).isInstanceOf(CommitNote.Foreign.class);
    }
}
