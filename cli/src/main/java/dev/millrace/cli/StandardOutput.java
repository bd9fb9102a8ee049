package dev.millrace.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Whether what was printed came out. A `PrintStream` keeps it to itself when it did not.
///
/// Thread ownership: the main thread.
final class StandardOutput {
    private static final String READER_LEFT = "Broken pipe";

    private StandardOutput() {}

    /// Why it did not take all that was printed; null if it did, and where whoever reads it has enough, as `head` has.
    static @Nullable String trouble(PrintStream printed) {
        return trouble(printed, new FileOutputStream(FileDescriptor.out));
    }

    /// `raw` is what `printed` writes to, and says why by failing once more.
    static @Nullable String trouble(PrintStream printed, OutputStream raw) {
        if (!printed.checkError()) return null;
        try {
            raw.write("\n".getBytes(StandardCharsets.US_ASCII));
            return "some of it was lost";
        } catch (IOException failure) {
            var why = String.valueOf(failure.getMessage());
            return why.equals(READER_LEFT) ? null : why;
        }
    }
}
