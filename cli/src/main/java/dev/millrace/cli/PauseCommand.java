package dev.millrace.cli;

import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine.Command;

/// `millrace pause`: lets a running pipeline read nothing more.
@Command(
        name = "pause",
        description = {
            "Let a running pipeline read nothing more until millrace resume; what was taken is finished.",
            "A restart forgets it. Needs the token of admin.token_file."
        })
final class PauseCommand extends Spoken {
    @Override
    int speak(RunningPipeline to, PrintWriter out) throws RunningPipeline.Failed {
        out.println(printable(to.post("/pause", Map.of())));
        return 0;
    }
}
