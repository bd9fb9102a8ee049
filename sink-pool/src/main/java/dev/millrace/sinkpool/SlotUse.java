package dev.millrace.sinkpool;

/// How many writes of one sink are on their way, of those that it takes at once (`inflight.max_total`).
public record SlotUse(int taken, int total) {}
