package dev.millrace.config;

import java.nio.file.Path;
import java.time.Duration;

/// How long a stop may take, and where its report goes.
public record DrainConfig(Duration timeout, Report report) {
    public DrainConfig {
        Require.notNegative("timeout", timeout);
    }

    public sealed interface Report {
        record Stdout() implements Report {}

        record ToFile(Path path) implements Report {}
    }
}
