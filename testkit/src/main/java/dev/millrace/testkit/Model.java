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
                "retention or a truncation that takes records away before they are read",
                "a topic that is deleted and made anew under the same name",
                "an operator who changes tables or offsets under way",
                "encoders, and what a real server makes of their bytes");
    }
}
