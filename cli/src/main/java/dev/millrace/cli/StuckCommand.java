package dev.millrace.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `millrace stuck`: what is wrong with a running pipeline, and what to do.
@Command(
        name = "stuck",
        description = {
            "Print what is wrong with a running pipeline, and what to do, the worst first.",
            "Exit codes: 0 nothing that somebody has to mend; 1 something; 2 a wrong file or address; 5 it does not answer."
        })
final class StuckCommand extends Spoken {
    private static final int SOMETHING = 1;

    @Option(names = "--json", description = "print JSON: all that /stuck has")
    private boolean json;

    @Override
    int speak(RunningPipeline to, PrintWriter out) throws RunningPipeline.Failed {
        var told = to.get("/stuck.txt");
        out.println(printable(json ? to.get("/stuck") : told));
        return told.lines().anyMatch(line -> line.startsWith("WRONG")) ? SOMETHING : 0;
    }
}
