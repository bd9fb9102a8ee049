package dev.millrace.config;

/// A sink that accepts everything and keeps nothing: for measuring and for trying things out.
public record BlackholeConfig() implements SinkKind {}
