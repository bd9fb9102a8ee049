package dev.millrace.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `millrace release`: ends a quarantine.
@Command(
        name = "release",
        description = "Let a replica in quarantine have writes again. Needs the token of admin.token_file.")
final class ReleaseCommand extends Spoken {
    @Mixin
    private NamedReplica replica = new NamedReplica();

    @Override
    int speak(RunningPipeline to, PrintWriter out) throws RunningPipeline.Failed {
        out.println(printable(to.post("/release", replica.named())));
        return 0;
    }
}
