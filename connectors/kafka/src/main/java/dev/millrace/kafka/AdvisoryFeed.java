package dev.millrace.kafka;

import dev.millrace.sinkpool.Intake;
import java.util.function.BooleanSupplier;

/// One advisory sink as the source sees it: nothing waits for it, and it gets only what every acknowledged sink has.
///
/// Its shards are an intake of their own, of one sink; the budget of that intake also bounds what is kept for it until
/// then. While `ready` is false its encoder cannot be asked for, and what it would see is dropped.
public record AdvisoryFeed(SinkFeed sink, Intake intake, BooleanSupplier ready, AdvisoryAccount account) {}
