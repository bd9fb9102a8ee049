package dev.millrace.testkit;

import dev.millrace.testkit.Mutant.Edit;
import java.util.List;

/// Bugs to plant in effectively-once delivery: one for each rule that it stands on, and each error
/// that is easily made.
final class PlanMutants {
    private static final String CHECKPOINT = "checkpoint";
    private static final String SINK_POOL = "sink-pool";
    private static final String KAFKA = "connectors/kafka";

    private PlanMutants() {}

    static List<Mutant> all() {
        return List.of(
                mutant(
                        "I1: sent before the plan is acknowledged",
                        KAFKA,
                        "kafka.Segments",
                        "        cuts.add(new Cut(segment, take()));\n        changed = true;",
                        "        release(new Cut(segment, take()), false);\n        changed = true;"),
                mutant(
                        "I1: a plan counts when it is sent",
                        CHECKPOINT,
                        "checkpoint.SegmentPlan",
                        "return one != null && one.writtenAhead;",
                        "return one != null;"),
                mutant(
                        "I2: a segment is passed when it is reached",
                        CHECKPOINT,
                        "checkpoint.SegmentPlan",
                        "first.segment.to() <= watermark;",
                        "first.segment.from() <= watermark;"),
                mutant(
                        "I2: what has no rows yet is committed past",
                        CHECKPOINT,
                        "checkpoint.SegmentPlan",
                        "offset = first.segment.to();",
                        "offset = end;"),
                mutant(
                        "I3: the plan is not replayed",
                        KAFKA,
                        "kafka.PlanFound",
                        "planning.fingerprint()) return new PlanFound(plan, 0, null, null);",
                        "planning.fingerprint()) return NONE;"),
                mutant(
                        "I3: a segment to rebuild ends where a poll does",
                        KAFKA,
                        "kafka.PartitionFlow",
                        "replayed.to() == run.ack.range().next()",
                        "replayed.to() >= run.ack.range().next()"),
                mutant(
                        "I3: cuts are made while segments are rebuilt",
                        KAFKA,
                        "kafka.Segments",
                        "return replay.isEmpty() && cuts.size()",
                        "return cuts.size()"),
                mutant(
                        "I4: a token of each run",
                        SINK_POOL,
                        "sinkpool.SegmentTokens",
                        "if (segment == null) return",
                        "if (segment != null) return"),
                mutant(
                        "I4: a token that counts",
                        SINK_POOL,
                        "sinkpool.SegmentTokens",
                        "return new Token(hash(text));",
                        "return new Token(hash(stream + shard + sequence));"),
                mutant(
                        "I4: a token without the leader epochs",
                        SINK_POOL,
                        "sinkpool.SegmentTokens",
                        "hash = mixed(mixed(hash ^ chunk.offset(row)) + leaderEpoch);",
                        "hash = mixed(mixed(hash ^ chunk.offset(row)));"),
                mutant(
                        "I4, I5: a token without fingerprint and rows",
                        SINK_POOL,
                        "sinkpool.SegmentTokens",
                        new Edit("                + field(fingerprints.getOrDefault(shard.sink(), \"\"))\n", ""),
                        new Edit("                + field(Integer.toString(rows.rows()))\n", ""),
                        new Edit(
                                "                + field(Long.toHexString(members(rows)));",
                                "                + \"\";")),
                mutant(
                        "I5: a token names rows by how many there are",
                        SINK_POOL,
                        "sinkpool.SegmentTokens",
                        "return hash;\n    }\n\n    /// The finishing",
                        "return 0;\n    }\n\n    /// The finishing"),
                mutant(
                        "I6: what was lost is kept",
                        KAFKA,
                        "kafka.SourceMachine",
                        "case SourceEvent.Lost(var partitions) -> revoked(partitions);",
                        "case SourceEvent.Lost(var partitions) -> {}"),
                mutant(
                        "I7: a late answer marks a plan",
                        CHECKPOINT,
                        "checkpoint.CommitFlight",
                        "if (answered == null || answered.send.attempt != attempt) return Map.of();",
                        "if (answered == null) return Map.of();"),
                mutant(
                        "I8: no quarantine",
                        CHECKPOINT,
                        "checkpoint.CommitFlight",
                        "if (quarantineNanos == 0) standing.doubt();",
                        "if (quarantineNanos >= 0) standing.doubt();"),
                mutant(
                        "I9: a damaged plan is believed",
                        CHECKPOINT,
                        "checkpoint.PlanCodec",
                        new Edit(
                                "!= crc(bytes, bytes.length - CRC_BYTES, offset))",
                                "!= crc(bytes, bytes.length - CRC_BYTES, offset) && bytes.length < 0)"),
                        new Edit("if (!encode(plan, offset).equals(text))", "if (bytes.length < 0)")),
                mutant(
                        "I9: a plan that can't be read is passed over",
                        KAFKA,
                        "kafka.PlanFound",
                        "most == null ? 0 : Math.max(0, most)",
                        "0"),
                mutant(
                        "I10: a plan of other settings is replayed",
                        KAFKA,
                        "kafka.PlanFound",
                        "if (planning != null && plan.fingerprint() == planning.fingerprint())",
                        "if (planning != null)"),
                mutant(
                        "EO-3: a plan is cut anew in another epoch",
                        KAFKA,
                        "kafka.SourceMachine",
                        "begin(one.flow.partition, segments == null ? null : segments.plan, from, nowNanos);",
                        "begin(one.flow.partition, plans.begin(one.flow.partition, from, null), from, nowNanos);"),
                mutant(
                        "EO-7: taken apart before the plan says so",
                        SINK_POOL,
                        "sinkpool.ShardMachine",
                        "if (delivery.batch().rows().rows() == 1) return false;",
                        "if (delivery.batch().rows().rows() >= 1) return false;"),
                mutant(
                        "EO-7: parts are not counted as perhaps there",
                        SINK_POOL,
                        "sinkpool.TokenAges",
                        "return forgotten || elsewhere || (apart(delivery, segment) && !recognition.readable())",
                        "return forgotten || elsewhere"),
                mutant(
                        "EO-10: a token is believed for ever",
                        SINK_POOL,
                        "sinkpool.TokenAges",
                        "if (age >= window) return Age.EXPIRED;",
                        ""),
                mutant(
                        "EO-10: a replay counts from now",
                        KAFKA,
                        "kafka.Segments",
                        "nowNanos - age * 1_000_000_000L",
                        "nowNanos"),
                mutant(
                        "EO-16: what is planned waits for the budget",
                        KAFKA,
                        "kafka.Segments",
                        "if (!anyway) {",
                        "if (budget.rows() + 1 > 0) return false; if (!anyway) {"),
                mutant(
                        "SRC-6: what retention took of a plan is not counted",
                        KAFKA,
                        "kafka.SourceMachine",
                        "plans.lost(one, lost.position(), lost.logStart());",
                        ""));
    }

    private static Mutant mutant(String name, String module, String type, String snippet, String replacement) {
        return mutant(name, module, type, new Edit(snippet, replacement));
    }

    private static Mutant mutant(String name, String module, String type, Edit... edits) {
        return new Mutant(name, module, "dev.millrace." + type, edits);
    }
}
