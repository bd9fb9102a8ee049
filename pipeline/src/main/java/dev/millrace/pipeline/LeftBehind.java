package dev.millrace.pipeline;

import dev.millrace.sinkpool.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Says once, beside a pipeline that has just started, what is held for pipelines that run no more (OPS-14): the same
/// as [Doctor] says of it.
///
/// Thread ownership: a thread of its own; nobody waits for it.
final class LeftBehind {
    private static final Logger LOG = LoggerFactory.getLogger(Pipeline.class);
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private LeftBehind() {}

    /// Returns at once.
    static void tell(Parts parts, Source source, BooleanSupplier stopped) {
        Thread.ofVirtual().name("millrace-leftovers").start(() -> {
            try {
                look(parts, source, stopped);
            } catch (RuntimeException closed) {
                LOG.atDebug()
                        .addKeyValue("event", "leftovers_unknown")
                        .setCause(closed)
                        .log("not all was asked");
            }
        });
    }

    private static void look(Parts parts, Source source, BooleanSupplier stopped) {
        var until = parts.clock.nanoTime() + LIMIT.toNanos();
        var found = new ArrayList<Finding>(source.leftovers(until));
        for (var sink : parts.sinks) {
            if (stopped.getAsBoolean()) return;
            found.addAll(sink.sink().leftovers(until));
        }
        if (found.isEmpty() || stopped.getAsBoolean()) return;
        LOG.atInfo()
                .addKeyValue("event", "leftovers")
                .addKeyValue("count", found.size())
                .log(
                        "{}",
                        found.stream()
                                .map(one -> one.where() + ": " + one.what() + "; " + one.remedy())
                                .collect(Collectors.joining(" | ")));
    }
}
