package dev.millrace.cli;

import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine.Command;

/// `millrace resume`: lets a paused pipeline go on.
@Command(name = "resume", description = "Let a paused pipeline go on. Needs the token of admin.token_file.")
final class ResumeCommand extends Spoken {
    @Override
    int speak(RunningPipeline to, PrintWriter out) throws RunningPipeline.Failed {
        out.println(printable(to.post("/resume", Map.of())));
        return 0;
    }
}
