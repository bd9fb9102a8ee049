package dev.millrace.testkit;

import java.util.function.LongFunction;

/// A run seen through the JDK's types alone, so that another class loader can ask for it: the violation, or an empty
/// text.
public final class SeedRun implements LongFunction<String> {
    @Override
    public String apply(long seed) {
        var violation = Simulation.run(seed).violation();
        return violation == null ? "" : violation;
    }
}
