package dev.millrace.testkit;

import java.util.function.LongFunction;

/// A seed shrunk, seen through the JDK's types alone, so that another class loader can ask for it; an empty text for a
/// seed that finds nothing.
public final class ShrinkRun implements LongFunction<String> {
    @Override
    public String apply(long seed) {
        var shrunk = Shrunk.of(seed);
        if (shrunk == null) return "";
        return String.join(
                "\n",
                String.valueOf(shrunk.found().oracle()),
                String.valueOf(shrunk.smallest().oracle()),
                String.join(" ", shrunk.kinds()),
                String.valueOf(shrunk.faults().size()),
                String.valueOf(shrunk.runs()),
                shrunk.text());
    }
}
