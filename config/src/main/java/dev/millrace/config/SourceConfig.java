package dev.millrace.config;

import java.time.Duration;

/// Where records come from.
public sealed interface SourceConfig permits KafkaSourceConfig, HttpSourceConfig {
    Topics topics();

    /// How long a start may wait for what has to answer first.
    Duration startupTimeout();

    /// The same for people: which setting says so, and what it says.
    String startupTimeoutText();
}
