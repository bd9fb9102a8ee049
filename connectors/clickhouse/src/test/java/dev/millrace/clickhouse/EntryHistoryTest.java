package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.TokenLog;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("EO-10")
class EntryHistoryTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @Test
    @DisplayName("EO-10: before anything is known, our own entries fill the window")
    void ownEntries() {
        assertThat(new EntryHistory(4).windowNanos(Long.MAX_VALUE - 5, 1000)).isEqualTo(250 * SECOND);
    }

    @Test
    @DisplayName("EO-10: entries of everybody shorten it, those of a burst that is over for as long as it is within")
    void entriesOfEverybody() {
        var history = new EntryHistory(1);
        history.saw(0, 128);
        assertThat(history.windowNanos(0, 10_000)).isEqualTo(10_000 * SECOND / 128);
        history.saw(10 * SECOND, 0);
        assertThat(history.windowNanos(10 * SECOND, 128))
                .as("the burst was in these ten")
                .isEqualTo(SECOND);
        for (var at = 20; at <= 100; at += 10) history.saw(at * SECOND, 0);
        assertThat(history.windowNanos(100 * SECOND, 128))
                .as("90 quiet seconds, and one of the burst")
                .isEqualTo(91 * SECOND);
        assertThat(history.windowNanos(100 * SECOND, 12_800)).isEqualTo(190 * SECOND);
    }

    @Test
    @DisplayName("EO-10: while nobody looks, what was last seen goes on, and our own at least")
    void silence() {
        var history = new EntryHistory(4);
        history.saw(0, 10);
        assertThat(history.windowNanos(30 * SECOND, 300)).isEqualTo(30 * SECOND);
        var quiet = new EntryHistory(4);
        quiet.saw(0, 0);
        assertThat(quiet.windowNanos(30 * SECOND, 300)).isEqualTo(75 * SECOND);
    }

    @Test
    @DisplayName("EO-10: the window is the shorter of its seconds and its entries, and none where nobody knows tokens")
    void theShorterOfTwo() {
        var memory = new TokenMemory(4);
        assertThat(memory.recognition(TokenLog.SHARED, 0).windowNanos())
                .as("nobody was looked at")
                .isEqualTo(NanoClock.NEVER);
        memory.untold();
        assertThat(memory.recognition(TokenLog.SHARED, 0).windowNanos())
                .as("believed of a server that does not tell")
                .isEqualTo(90 * SECOND / 4);
        memory.told(new Remembered(10_000, 3600, true, ""));
        memory.saw(0, 1);
        assertThat(memory.recognition(TokenLog.SHARED, 0).windowNanos()).isEqualTo(2250 * SECOND);
        assertThat(memory.recognition(TokenLog.SHARED, 0).readable()).isTrue();
        memory.told(new Remembered(100_000, 3600, true, ""));
        assertThat(memory.recognition(TokenLog.SHARED, 0).windowNanos()).isEqualTo(3600 * SECOND);
        assertThat(memory.recognition(TokenLog.NONE, 0).windowNanos()).isZero();
        memory.told(new Remembered(Long.MAX_VALUE / 2, Remembered.FOR_EVER, false, ""));
        assertThat(memory.recognition(TokenLog.SHARED, 0).windowNanos()).isEqualTo(NanoClock.NEVER);
    }

    @Test
    @DisplayName("EO-11: a window that a replay outlasts at the expected rate is told, with what to set")
    void tooFew() {
        var few = new TableFacts("shop", "events", "MergeTree", "", 200, 0, false);
        assertThat(TokenMemory.shortOf(few, 4)).contains("remembers 200 tokens", "at 4 a second that is 50 s", "60 s");
        assertThat(TokenMemory.shortOf(few, 3)).isEmpty();
        assertThat(TokenWindow.enough(4)).isEqualTo(15_000);
        assertThat(TokenWindow.enough(1)).isEqualTo(10_000);
    }
}
