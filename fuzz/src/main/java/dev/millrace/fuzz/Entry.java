package dev.millrace.fuzz;

import org.jspecify.annotations.Nullable;

/// Where Jazzer enters: it passes each input on to the target whose class name `millrace.fuzz.target` holds.
///
/// Thread ownership: Jazzer's one.
public final class Entry {
    static final String TARGET = "millrace.fuzz.target";

    private static @Nullable FuzzTarget target;

    private Entry() {}

    /// Called once, before the first input.
    public static void fuzzerInitialize() throws ReflectiveOperationException {
        target = Fuzzing.made(Class.forName(System.getProperty(TARGET)).asSubclass(FuzzTarget.class));
    }

    /// Called with each input.
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        var to = target;
        if (to == null) throw new IllegalStateException("not begun");
        to.take(input);
    }
}
