package dev.millrace.config;

/// How log lines look, and which are written.
public record LoggingConfig(Format format, Level level) {
    public enum Format {
        TEXT,
        JSON
    }

    public enum Level {
        TRACE,
        DEBUG,
        INFO,
        WARN,
        ERROR
    }
}
