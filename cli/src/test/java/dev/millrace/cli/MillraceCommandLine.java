package dev.millrace.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/// `millrace`, run in this JVM.
public final class MillraceCommandLine {
    private MillraceCommandLine() {}

    /// What it printed, and its exit code.
    public record Ended(int code, String out, String err) {}

    public static Ended run(String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        var code = Main.command()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
        return new Ended(code, out.toString(), err.toString());
    }
}
