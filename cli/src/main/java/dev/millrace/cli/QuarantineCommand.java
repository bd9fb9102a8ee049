package dev.millrace.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `millrace quarantine`: keeps a replica from being written to.
@Command(
        name = "quarantine",
        description = {
            "Keep a replica from new writes until millrace release, whatever its breaker says.",
            "A restart forgets it. Needs the token of admin.token_file."
        })
final class QuarantineCommand extends Spoken {
    @Mixin
    private NamedReplica replica = new NamedReplica();

    @Override
    int speak(RunningPipeline to, PrintWriter out) throws RunningPipeline.Failed {
        out.println(printable(to.post("/quarantine", replica.named())));
        return 0;
    }
}
