package dev.millrace.config;

/// Whether metrics, health and status are served, and where. Port 0 is any free port.
public sealed interface AdminConfig {
    record Off() implements AdminConfig {}

    record Listening(HostPort listen) implements AdminConfig {}
}
