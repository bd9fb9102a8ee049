package dev.millrace.sinkpool;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells what a front loses, and how it ends, in log lines under stable event names.
///
/// Thread ownership: the front's thread, but for `closed`.
final class FrontLog {
    private static final Logger LOG = LoggerFactory.getLogger("dev.millrace.front");

    private final String sink;
    private final PoisonLog rejected = new PoisonLog();

    FrontLog(String sink) {
        this.sink = sink;
    }

    /// Of one tenant, since the last line and in all.
    void shed(String tenant, long since, long all) {
        LOG.atWarn()
                .addKeyValue("event", "items_shed")
                .addKeyValue("sink", sink)
                .addKeyValue("tenant", tenant)
                .addKeyValue("items", since)
                .addKeyValue("all", all)
                .log("the share for what is staged is full; these are lost");
    }

    /// At most one line a second for each reason.
    void rejected(String tenant, String reason, String detail, long nowNanos) {
        rejected.now(nowNanos);
        rejected.poison("an item of " + tenant, reason, detail);
        for (var line : rejected.take())
            LOG.atWarn()
                    .addKeyValue("event", "item_rejected")
                    .addKeyValue("sink", sink)
                    .log("it can't be made a row, and is lost: {}", line);
    }

    void died(Throwable cause) {
        LOG.atError()
                .addKeyValue("event", "front_died")
                .addKeyValue("sink", sink)
                .setCause(cause)
                .log("the front's thread ended by a fault; it takes nothing any more, and what it held is lost");
    }

    void closed(FrontReport report) {
        if (report.lostInAll() == 0 && report.unresolved() == 0 && !report.lowerBound())
            LOG.atInfo()
                    .addKeyValue("event", "front_closed")
                    .addKeyValue("sink", sink)
                    .log("{}", report);
        else
            LOG.atWarn()
                    .addKeyValue("event", "front_closed")
                    .addKeyValue("sink", sink)
                    .log("{}", report);
    }
}
