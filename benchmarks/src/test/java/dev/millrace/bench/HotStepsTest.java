package dev.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What each step of the hot path allocates, held to what it took when it was last looked at, and a quarter.
final class HotStepsTest {
    private static final int TIMES = 5_000;
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    record Step(String name, double mostBytes, Consumer<HotSteps> body) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Step> steps() {
        return Stream.of(
                new Step("route", 0, HotSteps::route),
                new Step("encode", 0, HotSteps::encode),
                new Step("check", 0, HotSteps::check),
                new Step("acknowledge", 480, HotSteps::acknowledge),
                new Step("plan8", 1_600, HotSteps::plan8),
                new Step("acquire", 350, HotSteps::acquire),
                new Step("handOver", 40, HotStepsTest::handOver));
    }

    private static void handOver(HotSteps bench) {
        try {
            bench.handOver();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    @ParameterizedTest
    @MethodSource("steps")
    @Tag("OPS-2")
    @DisplayName("OPS-2: no step of the hot path allocates more than it did")
    void noStepAllocatesMore(Step step) {
        var bench = new HotSteps();
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        // What asking itself allocates is spread over all of them.
        var most = (long) ((step.mostBytes() + 0.1) * TIMES);
        var least = Long.MAX_VALUE;
        // Compiled code allocates less than the interpreter, and on a busy machine the compiler takes its time.
        for (var until = System.nanoTime() + PATIENCE_NANOS; least > most && System.nanoTime() - until < 0; ) {
            var before = threads.getCurrentThreadAllocatedBytes();
            for (var n = 0; n < TIMES; n++) step.body().accept(bench);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isLessThanOrEqualTo(most);
    }
}
