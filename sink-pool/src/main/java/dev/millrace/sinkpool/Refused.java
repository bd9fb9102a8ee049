package dev.millrace.sinkpool;

/// No slots, and why.
public record Refused<T>(Refusal why) implements Reserved<T> {}
