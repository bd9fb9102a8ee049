package dev.millrace.lab;

import java.time.Duration;

/// What a [ChaosProxy] does to its connections; the methods there say what each means.
sealed interface Fault {
    record None() implements Fault {}

    record Refuse() implements Fault {}

    record BlackHole() implements Fault {}

    record Delay(Duration base, Duration jitter, long seed) implements Fault {
        public Delay {
            if (base.isNegative() || jitter.isNegative())
                throw new IllegalArgumentException("a delay of " + base + " and up to " + jitter + " is negative");
        }
    }

    record SlowDrip(int bytesPerSecond) implements Fault {
        public SlowDrip {
            if (bytesPerSecond < 1)
                throw new IllegalArgumentException(bytesPerSecond + " bytes a second is not 1 or more");
        }
    }

    record CutAfterUp(long bytes) implements Fault {
        public CutAfterUp {
            if (bytes < 0) throw new IllegalArgumentException("cut after " + bytes + " bytes is negative");
        }
    }

    record CutAfterDown(long bytes) implements Fault {
        public CutAfterDown {
            if (bytes < 0) throw new IllegalArgumentException("cut after " + bytes + " bytes is negative");
        }
    }

    /// Answers that never arrive.
    ///
    /// @param most how many answers, on all connections together, before all is well again
    record DropAnswers(Cue cue, long most) implements Fault {}

    record HoldAnswers(Cue cue) implements Fault {}
}
