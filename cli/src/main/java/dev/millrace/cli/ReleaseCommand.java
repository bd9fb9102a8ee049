package dev.millrace.cli;

import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `millrace release`: ends a quarantine.
@Command(
        name = "release",
        description = "Let a replica in quarantine have writes again. Needs the token of admin.token_file.")
final class ReleaseCommand extends Spoken {
    @Option(
            names = "--shard",
            required = true,
            paramLabel = "SINK/SHARD",
            description = "the shard, as status names it")
    private String shard = "";

    @Option(
            names = "--replica",
            required = true,
            paramLabel = "HOST:PORT",
            description = "its replica, as status names it")
    private String replica = "";

    @Override
    int speak(RunningPipeline to, PrintWriter out) throws RunningPipeline.Failed {
        out.println(printable(to.post("/release", Map.of("shard", shard, "replica", replica))));
        return 0;
    }
}
