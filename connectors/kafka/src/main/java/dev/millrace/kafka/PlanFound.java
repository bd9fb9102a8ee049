package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitNote;
import dev.millrace.checkpoint.Plan;
import org.jspecify.annotations.Nullable;

/// What a committed entry means for whoever goes on from it: the plan to replay, or none; how many
/// rows may be sent in other batches than before; and what is to be said, or why nothing goes on.
///
/// Whatever stands there, nothing is ever taken as done because of it (I9).
record PlanFound(
        @Nullable Plan plan,
        long perhapsTwice,
        @Nullable String note,
        @Nullable String halt) {
    /// `logEnd` is −1 where unknown.
    static PlanFound of(KafkaSourceSettings settings, CommitEntry committed, long logEnd) {
        return switch (CommitNote.read(committed)) {
            case CommitNote.Nothing(), CommitNote.Of(var _) -> new PlanFound(null, 0, null, null);
            case CommitNote.Foreign() ->
                new PlanFound(
                        null,
                        0,
                        "the text of " + committed.metadata().length()
                                + " characters beside its offset is not of Millrace, and is ignored",
                        null);
            case CommitNote.Unreadable(var why) -> {
                var most = Math.max(0, logEnd - committed.offset());
                yield new PlanFound(
                        null,
                        most,
                        "the plan beside its offset can't be read, " + why + ": what was open is sent again in other"
                                + " batches, and up to " + (logEnd < 0 ? "an unknown number of" : most)
                                + " rows may be stored twice",
                        null);
            }
            case CommitNote.Planned(var plan) -> of(settings, plan, committed);
        };
    }

    private static PlanFound of(KafkaSourceSettings settings, Plan plan, CommitEntry committed) {
        var planning = settings.planning();
        var open = plan.segments();
        if (planning != null && plan.cluster() != planning.cluster().get())
            return new PlanFound(
                    null,
                    0,
                    null,
                    "its offset was committed for another Kafka cluster: offsets that were copied do not count the"
                            + " same records; start a new group, or reset the group's offsets");
        if (planning != null && plan.fingerprint() == planning.fingerprint()) return new PlanFound(plan, 0, null, null);
        if (open.isEmpty()) return new PlanFound(null, 0, null, null);
        var offsets = open.getLast().to() - committed.offset();
        var what = open.size() + " segments [" + committed.offset() + ", "
                + open.getLast().to()
                + ") are open that were cut under other settings of delivery, format, route, sinks"
                + " or shards";
        if (!settings.replans())
            return new PlanFound(
                    null,
                    0,
                    null,
                    what + ": start it with the settings of before until it has drained, or set on_config_change:"
                            + " replan, which may store their rows twice");
        return new PlanFound(
                null, offsets, what + ": they are cut anew, and " + offsets + " rows may be stored twice", null);
    }

    String event() {
        return perhapsTwice > 0 ? "plan_lost" : "foreign_metadata_ignored";
    }
}
