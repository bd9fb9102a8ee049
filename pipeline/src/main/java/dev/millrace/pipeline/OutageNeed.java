package dev.millrace.pipeline;

import dev.millrace.config.PipelineConfig;
import dev.millrace.config.SinkConfig;
import dev.millrace.pipeline.SizingFigure.Unit;
import dev.millrace.pipeline.SizingLoad.Flow;
import dev.millrace.sinkpool.Finding;

/// What an outage of all stores takes: what memory holds of it, what Kafka has to keep, and how long it takes until
/// nothing of it is left.
///
/// Thread ownership: the thread that sizes.
final class OutageNeed {

    private final PipelineConfig config;
    private final SizingLoad load;
    private final Flow flow;
    private final SizingSheet sheet;

    OutageNeed(PipelineConfig config, SizingLoad load, Flow flow, SizingSheet sheet) {
        this.config = config;
        this.load = load;
        this.flow = flow;
        this.sheet = sheet;
    }

    void tell() {
        memory();
        var seconds = load.outageSeconds();
        sheet.add(
                SizingFigure.OUTAGE,
                "backlog",
                flow.rowsPerSecond() * seconds,
                Unit.ROWS,
                "rows/s × outage; what memory does not hold waits in Kafka");
        var caughtUp = sheet.add(
                SizingFigure.OUTAGE,
                "catch_up",
                load.catchUpSeconds(),
                Unit.SECONDS,
                "outage ÷ (headroom − 1), while the load goes on");
        sheet.add(
                SizingFigure.OUTAGE,
                "retention_time",
                seconds + caughtUp,
                Unit.SECONDS,
                "retention.ms of the topics, at least: outage + catch_up, so that another one meanwhile loses nothing; doctor"
                        + " compares with what is set");
        sheet.add(
                SizingFigure.OUTAGE,
                "retention_bytes",
                flow.bytesPerSecond() / load.partitions() * (seconds + caughtUp),
                Unit.BYTES,
                "retention.bytes of a partition, at least, where it is set: of values, less what the producer's compression"
                        + " saves");
    }

    private void memory() {
        var sinks = config.sinks().stream().filter(sink -> !sink.advisory()).toList();
        var admission = config.admission();
        var processes = load.processes(config.kafka().consumers());
        var rowsPerSecond = flow.rowsPerSecond() / processes * sinks.size();
        var seconds = sheet.add(
                SizingFigure.OUTAGE,
                "memory_holds",
                Math.min(
                        admission.maxRows() / rowsPerSecond,
                        admission.maxBytes() / (rowsPerSecond * flow.bytesPerRow())),
                Unit.SECONDS,
                "admission.max_bytes ÷ bytes/s, or max_rows ÷ rows/s, of one process and all sinks; then polling pauses");
        var sealed = sinks.stream().mapToDouble(this::lingers).max().orElseThrow();
        if (seconds < 2 * sealed)
            sheet.add(Finding.hazard(
                    "admission",
                    "it is full after " + SizingText.seconds(seconds) + ", and batches wait "
                            + SizingText.seconds(sealed) + " for batch.linger: polling pauses while all is well",
                    "raise admission.max_bytes and max_rows, lower batch.linger, or run more processes"));
    }

    /// What its batches wait, unless something else than memory seals them before.
    private double lingers(SinkConfig sink) {
        var rate = new SinkNeed(config, sink, load, sheet).rate(flow);
        return switch (rate.by()) {
            case LINGER -> rate.seconds();
            case HALF -> sink.batch().linger().toMillis() / 1e3;
            case ROWS, BYTES, SHARE -> 0;
        };
    }
}
