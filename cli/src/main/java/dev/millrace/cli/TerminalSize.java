package dev.millrace.cli;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How many lines and columns a terminal has.
///
/// Java does not tell, so this asks the C library about standard output.
record TerminalSize(int lines, int columns) {
    private static final TerminalSize USUAL = new TerminalSize(24, 80);
    private static final int STANDARD_OUTPUT = 1;
    private static final int NUMBERS = 4; // lines, columns, and both in pixels

    /// Linux's number of the question, and that of the BSDs and macOS.
    private static final long LINUX = 0x5413;

    private static final long BSD = 0x40087468;

    /// Of this process's output; where that is no terminal, or does not tell, of the variables LINES and COLUMNS, and
    /// else what is usual.
    static TerminalSize now() {
        var named = named(System.getenv());
        try {
            var asked = asked(System.getProperty("os.name", "").equals("Linux") ? LINUX : BSD);
            return asked.lines > 0 && asked.columns > 0 ? asked : named;
        } catch (Throwable unknown) { // a method handle may throw anything, and it shows all the same
            return named;
        }
    }

    static TerminalSize named(Map<String, String> variables) {
        return new TerminalSize(
                number(variables.get("LINES"), USUAL.lines), number(variables.get("COLUMNS"), USUAL.columns));
    }

    private static int number(@Nullable String text, int otherwise) {
        return text != null && text.matches("[1-9]\\d{0,3}") ? Integer.parseInt(text) : otherwise;
    }

    @SuppressWarnings("restricted") // the launcher enables native access
    private static TerminalSize asked(long question) throws Throwable {
        try (var arena = Arena.ofConfined()) {
            var linker = Linker.nativeLinker();
            var call = linker.downcallHandle(
                    linker.defaultLookup().findOrThrow("ioctl"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
                    Linker.Option.firstVariadicArg(2));
            var numbers = arena.allocate(ValueLayout.JAVA_SHORT, NUMBERS);
            var result = (int) call.invokeExact(STANDARD_OUTPUT, question, numbers);
            if (result != 0) return new TerminalSize(0, 0);
            return new TerminalSize(
                    Short.toUnsignedInt(numbers.getAtIndex(ValueLayout.JAVA_SHORT, 0)),
                    Short.toUnsignedInt(numbers.getAtIndex(ValueLayout.JAVA_SHORT, 1)));
        }
    }
}
