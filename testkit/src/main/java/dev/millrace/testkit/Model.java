package dev.millrace.testkit;

import java.util.List;

/// What the simulated world has and has not, in words: a claim over seeds is worth what its model is.
public final class Model {
    private Model() {}

    /// What the claim says nothing about.
    public static List<String> notModelled() {
        return List.of(
                "threads, sockets and the code around the machines that uses them",
                "bit rot, and a disk or a server that says it stored what it did not",
                "brokers that answer other than Kafka's protocol promises",
                "an acknowledged row that the store loses again: it is simulated, and such rows are reported apart",
                "a log that is cut without leader epochs, by which alone a reader could tell",
                "a truncated log that is cut again, and a topic that stays away",
                "a damaged text beside an offset of a topic that is gone: nothing tells then whose offset it is",
                "repeats after a former owner's late commit, which brokers take under KIP-848 while that one gives up more",
                "an operator who changes tables, or moves offsets but where a stop asks for it",
                "encoders, and what a real server makes of their bytes");
    }
}
