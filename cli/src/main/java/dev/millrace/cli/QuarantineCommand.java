package dev.millrace.cli;

import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `millrace quarantine`: keeps a replica from being written to.
@Command(
        name = "quarantine",
        description = {
            "Keep a replica from new writes until millrace release, whatever its breaker says.",
            "A restart forgets it. Needs the token of admin.token_file."
        })
final class QuarantineCommand extends Spoken {
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
        out.println(printable(to.post("/quarantine", Map.of("shard", shard, "replica", replica))));
        return 0;
    }
}
