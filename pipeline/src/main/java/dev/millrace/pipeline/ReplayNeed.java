package dev.millrace.pipeline;

import dev.millrace.checkpoint.PlanCodec;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.PostgresConfig;
import dev.millrace.config.SinkConfig;
import dev.millrace.kafka.SegmentShare;
import dev.millrace.pipeline.SizingFigure.Unit;
import dev.millrace.sinkpool.Finding;
import java.util.List;

/// What a crash sends again, and what the group's committed text has to hold.
///
/// Thread ownership: the thread that sizes.
final class ReplayNeed {

    private final PipelineConfig config;
    private final SizingLoad load;
    private final SizingSheet sheet;
    private final List<SinkConfig> planned;
    private final int processes;

    ReplayNeed(PipelineConfig config, SizingLoad load, SizingSheet sheet) {
        this.config = config;
        this.load = load;
        this.sheet = sheet;
        processes = load.processes(config.kafka().consumers());
        planned = config.sinks().stream()
                .filter(sink -> Wiring.planned(config, sink))
                .toList();
    }

    void tell() {
        usual();
        if (planned.isEmpty()) mostOfRanges();
        else {
            mostOfSegments();
            plan();
        }
    }

    private void usual() {
        var flow = load.flow();
        if (flow == null) return;
        var sealed = config.sinks().stream()
                .filter(sink -> !sink.advisory())
                .mapToDouble(sink ->
                        new SinkNeed(config, sink, load, sheet).rate(flow).seconds())
                .max()
                .orElseThrow();
        sheet.add(
                SizingFigure.GROUP,
                "replayed_usually",
                flow.rowsPerSecond() * (sealed + config.checkpoint().interval().toMillis() / 1e3),
                Unit.ROWS,
                "after a crash while all is well, about: rows/s × (what a batch waits to be sealed + checkpoint.interval)");
    }

    private void mostOfRanges() {
        most(
                (double) load.partitions()
                        * config.checkpoint().maxPending()
                        * MemoryNeed.number(config, "max.poll.records"),
                "partitions × checkpoint.max_pending × max.poll.records",
                "stored twice where the sink knows no repeats");
    }

    /// Nothing of another sink gets further than these: a range is done when each has it.
    private void mostOfSegments() {
        var admission = config.admission();
        var share =
                SegmentShare.of(admission.maxRows(), admission.maxBytes(), Math.ceilDiv(load.partitions(), processes));
        var flow = load.flow();
        var rows = flow == null ? share.rows() : Math.min(share.rows(), share.bytes() / flow.bytesPerRow());
        most(
                (double) load.partitions() * (config.checkpoint().maxOpenSegments() + 1) * Math.max(1, rows),
                "partitions × (checkpoint.max_open_segments + 1) × the share of admission that one segment may have",
                "what is in the plan goes out under the same tokens");
    }

    /// A shard that stands fills its half of the budget, and the others take as much meanwhile.
    private void most(double bound, String from, String then) {
        var flow = load.flow();
        var admission = config.admission();
        var room = flow == null
                ? admission.maxRows()
                : Math.min(admission.maxRows(), admission.maxBytes() / flow.bytesPerRow());
        var shards = config.sinks().stream()
                .filter(sink -> !sink.advisory())
                .mapToInt(sink -> sink.shards().size())
                .max()
                .orElseThrow();
        var byRoom = processes * room * Math.max(1, shards / 2.0);
        sheet.add(
                SizingFigure.GROUP,
                "replayed_at_most",
                Math.min(bound, byRoom),
                Unit.ROWS,
                "while one shard stands and the others go on: "
                        + (bound <= byRoom
                                ? from
                                : "what admission has room for, half of it for each shard, of each process")
                        + "; " + then);
    }

    private void plan() {
        var limit = config.checkpoint().metadataLimit();
        var most = config.checkpoint().maxOpenSegments();
        var tokens = planned.stream()
                .filter(sink -> sink.kind() instanceof PostgresConfig)
                .mapToInt(sink -> sink.shards().size())
                .sum();
        var one = PlanCodec.leastCharacters(tokens);
        sheet.add(
                SizingFigure.GROUP,
                "plan",
                (double) Math.min(limit * 3L / 4, one + (most - 1L) * PlanCodec.MOST_CHARACTERS_OF_A_SEGMENT),
                Unit.CHARACTERS,
                "beside each partition's offset, at most: " + one + " with one segment and " + tokens
                        + " newest tokens, "
                        + PlanCodec.MOST_CHARACTERS_OF_A_SEGMENT
                        + " for each of checkpoint.max_open_segments more, cut at three quarters of metadata_limit");
        var refusal = KeptTokens.tooMany(tokens, limit);
        var fit = 1 + Math.floorDiv(limit * 3L / 4 - one, PlanCodec.MOST_CHARACTERS_OF_A_SEGMENT);
        if (refusal != null) sheet.add(Finding.fault("checkpoint", "it does not start: " + refusal, ""));
        else if (fit < most)
            sheet.add(Finding.hazard(
                    "checkpoint",
                    "plans of " + fit + " segments fill metadata_limit " + limit + ", and max_open_segments is " + most,
                    "raise metadata_limit, and offset.metadata.max.bytes of the brokers with it"));
    }
}
