package dev.millrace.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/// `millrace dlq`, run in this JVM.
public final class DlqCommandLine {
    private DlqCommandLine() {}

    /// What it printed, and its exit code.
    public record Ended(int code, String out, String err) {}

    public static Ended run(String... arguments) {
        var all = new String[arguments.length + 1];
        all[0] = "dlq";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        var out = new StringWriter();
        var err = new StringWriter();
        var code = Main.command()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(all);
        return new Ended(code, out.toString(), err.toString());
    }
}
