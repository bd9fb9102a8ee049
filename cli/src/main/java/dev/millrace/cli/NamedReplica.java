package dev.millrace.cli;

import java.util.Map;
import picocli.CommandLine.Option;

/// The options by which a command names one replica of a running pipeline.
final class NamedReplica {
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

    /// As an act's request names it.
    Map<String, String> named() {
        return Map.of("shard", shard, "replica", replica);
    }
}
