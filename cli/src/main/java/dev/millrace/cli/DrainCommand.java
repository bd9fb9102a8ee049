package dev.millrace.cli;

import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine.Command;

/// `millrace drain`: stops a running pipeline in order.
@Command(
        name = "drain",
        description = {
            "Stop a running pipeline as SIGTERM does: what was taken is finished within drain.timeout, and it reports.",
            "Needs the token of admin.token_file."
        })
final class DrainCommand extends Spoken {
    @Override
    int speak(RunningPipeline to, PrintWriter out) throws RunningPipeline.Failed {
        out.println(printable(to.post("/drain", Map.of())));
        return 0;
    }
}
