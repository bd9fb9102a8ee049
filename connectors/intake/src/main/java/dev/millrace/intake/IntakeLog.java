package dev.millrace.intake;

import dev.millrace.sinkpool.NanoClock;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What of an intake is worth a line: each kind once in a while, however many requests there are.
///
/// Thread ownership: shared.
final class IntakeLog {
    private static final Logger LOG = LoggerFactory.getLogger("dev.millrace.intake");
    private static final long EVERY_NANOS = 10_000_000_000L;

    private final NanoClock clock;
    private final AtomicLong deniedNanos;
    private final AtomicLong refusedNanos;

    IntakeLog(NanoClock clock) {
        this.clock = clock;
        this.deniedNanos = new AtomicLong(clock.nanoTime() - EVERY_NANOS);
        this.refusedNanos = new AtomicLong(clock.nanoTime() - EVERY_NANOS);
    }

    private boolean due(AtomicLong last) {
        var now = clock.nanoTime();
        var before = last.get();
        return now - before >= EVERY_NANOS && last.compareAndSet(before, now);
    }

    void listening(Object address, boolean encrypted) {
        LOG.atInfo()
                .addKeyValue("event", "intake_listening")
                .addKeyValue("tls", encrypted)
                .log("{}", address);
    }

    void denied() {
        if (due(deniedNanos))
            LOG.atWarn().addKeyValue("event", "intake_denied").log("somebody without the token posted");
    }

    void refused(IntakeCounts.Limit by) {
        if (due(refusedNanos))
            LOG.atWarn()
                    .addKeyValue("event", "intake_refused")
                    .addKeyValue("by", by.word())
                    .log("requests are told to come again; /metrics counts them");
    }

    void fault(Throwable cause) {
        LOG.atError().addKeyValue("event", "intake_fault").setCause(cause).log("a request failed by a fault of ours");
    }
}
