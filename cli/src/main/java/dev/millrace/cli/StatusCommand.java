package dev.millrace.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `millrace status`: how a running pipeline stands, once.
@Command(
        name = "status",
        description =
                "Print how a running pipeline stands: what is wrong and what to do first, then shards, partitions and events.")
final class StatusCommand extends Spoken {
    @Option(names = "--json", description = "print JSON: all that /status has")
    private boolean json;

    @Override
    int speak(RunningPipeline to, PrintWriter out) throws RunningPipeline.Failed {
        out.println(printable(to.get(json ? "/status" : "/status.txt")));
        return 0;
    }
}
