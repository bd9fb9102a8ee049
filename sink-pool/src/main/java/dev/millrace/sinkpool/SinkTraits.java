package dev.millrace.sinkpool;

/// What a sink can promise. `countsRows`: its receipts count rows, so one that does not add up is a failed attempt
/// (WRT-4).
public record SinkTraits(boolean countsRows) {}
