package dev.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What processes of the suite say to each other, and what is made of it.
final class ReadingTest {
    private static final long SECOND = 1_000_000_000L;

    static Reading reading(Map<Figure, Long> some) {
        var all = new EnumMap<Figure, Long>(Figure.class);
        for (var figure : Figure.values()) all.put(figure, 0L);
        all.putAll(some);
        return new Reading(all, Reading.noDelays());
    }

    @Test
    void aLineIsReadAsItWasWritten() {
        var words = Words.of("file", "/tmp/a b=c%20&ü", "records", 17, "sink", "3,4", "live", true, "none", "");
        var read = Words.parse(words.line());
        assertThat(read).isEqualTo(words);
        assertThat(words.line()).doesNotContain("\n").matches("\\S+( \\S+)*");
        assertThat(read.text("file")).isEqualTo("/tmp/a b=c%20&ü");
        assertThat(read.number("records")).isEqualTo(17);
        assertThat(read.numbers("sink")).containsExactly(3L, 4L);
        assertThat(read.numbers("none")).isEmpty();
        assertThat(read.fact("live")).isTrue();
        assertThat(read.fact("joined")).isFalse();
    }

    @Test
    void whatIsNoLineOfOursIsRefused() {
        assertThatThrownBy(() -> Words.parse("a log line")).isInstanceOf(BenchFailure.class);
        assertThatThrownBy(() -> Words.parse("a=1").text("b"))
                .isInstanceOf(BenchFailure.class)
                .hasMessage("no b in a=1");
        assertThatThrownBy(() -> Words.parse("a=x").number("a"))
                .isInstanceOf(BenchFailure.class)
                .hasMessage("a is no number: x");
    }

    @Test
    void aReadingComesBackFromItsLineWithItsDelays() {
        var delays = Reading.noDelays();
        delays.recordValueWithCount(1_500, 3);
        delays.recordValue(90_000);
        var figures = new EnumMap<Figure, Long>(Figure.class);
        for (var figure : Figure.values()) figures.put(figure, 1_000_000_007L * (figures.size() + 1));
        var read = Reading.of(Words.parse(new Reading(figures, delays).words().line()));
        assertThat(read.figures()).isEqualTo(figures);
        assertThat(read.delays()).isEqualTo(delays);
    }

    @Test
    void costsAreForAGigabyteOfValuesAndForARow() {
        var read = reading(Map.of(
                Figure.ROWS,
                1_000L,
                Figure.WALL_NANOS,
                2 * SECOND,
                Figure.CPU_NANOS,
                3 * SECOND,
                Figure.SOURCE_NANOS,
                SECOND,
                Figure.BROKER_NANOS,
                SECOND / 2,
                Figure.ALLOCATED_BYTES,
                5_000L,
                Figure.PAUSE_NANOS,
                SECOND / 10));
        assertThat(read.rowsPerSecond()).isEqualTo(500);
        assertThat(read.cpuPerGigabyte(2_000_000_000L)).isEqualTo(1.5);
        assertThat(read.megabytesPerCpuSecond(300_000_000L)).isEqualTo(100);
        assertThat(read.perGigabyte(Figure.BROKER_NANOS, 250_000_000L)).isEqualTo(2);
        assertThat(read.cpuNanosPerRow()).isEqualTo(3_000_000);
        assertThat(read.allocatedPerRow()).isEqualTo(5);
        assertThat(read.share(Figure.SOURCE_NANOS)).isEqualTo(0.5);
        assertThat(read.pausePercent()).isCloseTo(5, within(1e-9));
    }

    @Test
    void theMedianIsTheMiddleRoundOrBetweenTheTwo() {
        assertThat(Figures.of(new double[] {3, 1, 2})).isEqualTo(new Figures(2, 1, 3));
        assertThat(Figures.of(new double[] {4, 1, 2, 3})).isEqualTo(new Figures(2.5, 1, 4));
    }

    private static Reading busy(long source, long own, long sink, long machine) {
        return reading(Map.of(
                Figure.WALL_NANOS, 100L,
                Figure.SOURCE_NANOS, source,
                Figure.CPU_NANOS, own,
                Figure.SINK_NANOS, sink,
                Figure.MACHINE_NANOS, machine));
    }

    @Test
    void whatWasBusyMostOfTheTimeIsTheLimit() {
        assertThat(Limit.of(List.of(busy(90, 110, 0, 111)), 2)).isEqualTo("poll thread 90 %");
        assertThat(Limit.of(List.of(busy(40, 60, 95, 156)), 2)).isEqualTo("sink's processes 95 %");
        assertThat(Limit.of(List.of(busy(95, 190, 0, 192)), 2)).isEqualTo("poll thread 95 %, all processors 96 %");
    }

    @Test
    void whereNothingWasBusyItSaysSoAndWhatOthersTookIsTold() {
        assertThat(Limit.of(List.of(busy(20, 30, 10, 40)), 2))
                .isEqualTo("nothing: it waits (poll thread 20 %, sink's processes 10 %, all processors 20 %)");
        assertThat(Limit.of(List.of(busy(50, 80, 0, 200)), 2)).isEqualTo("all processors 100 %; others took 60 %");
    }
}
