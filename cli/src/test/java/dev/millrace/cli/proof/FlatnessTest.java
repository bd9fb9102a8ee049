package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The judge of [SoakTest] itself: what it lets pass, and which planted leaks it finds.
class FlatnessTest {
    private static final double SLICE = 240;
    private static final double HOUR = 3_300;
    private static final double BETWEEN = 10;
    private static final Flatness HEAP = Vital.LIVE_HEAP.flatness();

    /// A level with the noise of faults: mostly near it, and every eighth sample far above.
    private static Series noisy(double seconds, long seed, DoubleUnaryOperator level) {
        var chance = new SplittableRandom(seed);
        var samples = new ArrayList<Series.Sample>();
        for (var at = 0.0; at <= seconds; at += BETWEEN) {
            var spike = chance.nextInt(8) == 0 ? chance.nextDouble() * 32 : 0;
            samples.add(new Series.Sample(at, level.applyAsDouble(at) + chance.nextGaussian() + spike));
        }
        return new Series(samples);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void noiseAloneIsFlat(long seed) {
        assertThat(HEAP.objections(noisy(SLICE, seed, _ -> 40))).isEmpty();
        assertThat(HEAP.objections(noisy(HOUR, seed, _ -> 40))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aFastLeakShowsInTheSlice(long seed) {
        var perSecond = 2 * HEAP.step() / (SLICE * 2 / 3);
        assertThat(HEAP.objections(noisy(SLICE, seed, at -> 40 + perSecond * at)))
                .singleElement()
                .asString()
                .contains("the median rose");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aSlowLeakShowsInTheHourAndNotInTheSlice(long seed) {
        var perSecond = 2 * HEAP.perHour() / 3_600;
        DoubleUnaryOperator leak = at -> 40 + perSecond * at;
        assertThat(HEAP.objections(noisy(SLICE, seed, leak))).isEmpty();
        assertThat(HEAP.objections(noisy(HOUR, seed, leak)))
                .anySatisfy(objection -> assertThat(objection).contains("an hour"));
    }

    @Test
    void aHandleThatEachTenthFaultLeavesBehindShowsInBoth() {
        DoubleUnaryOperator handles = at -> 60 + Math.floor(at / 50);
        assertThat(Vital.HANDLES.flatness().objections(noisy(HOUR, 1, handles))).hasSize(2);
        DoubleUnaryOperator eachFault = at -> 60 + Math.floor(at / 5);
        assertThat(Vital.HANDLES.flatness().objections(noisy(SLICE, 1, eachFault)))
                .hasSize(1);
    }

    @Test
    void oneLeapThatStaysIsFound() {
        DoubleUnaryOperator leap = at -> at < SLICE / 2 ? 40 : 41 + HEAP.step() + 2;
        assertThat(HEAP.objections(noisy(SLICE, 1, leap))).hasSize(1);
    }

    @Test
    void aHillThatIsOverAndAFallAreFlat() {
        DoubleUnaryOperator hill = at -> at > SLICE / 3 && at < SLICE * 2 / 3 ? 140 : 40;
        assertThat(HEAP.objections(noisy(SLICE, 1, hill))).isEmpty();
        assertThat(HEAP.objections(noisy(HOUR, 1, at -> 100 - at / 60))).isEmpty();
    }

    @Test
    void fewSamplesShowNothing() {
        assertThat(HEAP.objections(noisy(60, 1, _ -> 40)))
                .singleElement()
                .asString()
                .contains("too few");
        assertThat(HEAP.objections(new Series(new ArrayList<>()))).hasSize(1);
    }

    @Test
    void theSlopeIsThatOfTheLineWhateverAFifthOfTheSamplesSays() {
        var samples = new ArrayList<Series.Sample>();
        for (var i = 0; i < 300; i++) samples.add(new Series.Sample(i * 10, i % 5 == 4 ? 1_000 - i : 40 + i * 0.01));
        assertThat(new Series(samples).perHour()).isBetween(2.0, 4.5);
    }
}
