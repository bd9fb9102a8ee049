package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitNote;
import dev.millrace.checkpoint.Plan;
import org.jspecify.annotations.Nullable;

/// What a committed entry means for whoever goes on from it.
///
/// `plan` is replayed; null for none. `perhapsTwice` rows may be sent in other batches than before.
/// `said` is worth a log line, and `halt` is why nothing goes on. Whatever stands there, nothing is
/// ever taken as done because of it (I9). The start does what it says, and [OffsetsCheckup] tells it beforehand.
record PlanFound(
        @Nullable Plan plan,
        long perhapsTwice,
        @Nullable Said said,
        @Nullable Halt halt) {
    record Said(String event, String text) {}

    record Halt(String what, String remedy) {
        @Override
        public String toString() {
            return what + ": " + remedy;
        }
    }

    private static final PlanFound NONE = new PlanFound(null, 0, null, null);

    /// `committed` is null where the group has nothing; `logEnd` is −1 where unknown.
    static PlanFound of(KafkaSourceSettings settings, @Nullable CommitEntry committed, long logEnd) {
        if (committed == null) return NONE;
        return switch (CommitNote.read(committed)) {
            case CommitNote.Nothing(), CommitNote.Of(var _) -> NONE;
            case CommitNote.Foreign() ->
                new PlanFound(
                        null,
                        0,
                        new Said(
                                "foreign_metadata_ignored",
                                "the text of " + committed.metadata().length()
                                        + " characters beside its offset is not of Millrace, and is ignored"),
                        null);
            case CommitNote.Unreadable(var why) -> unreadable(why, logEnd < 0 ? null : logEnd - committed.offset());
            case CommitNote.Planned(var plan) -> of(settings, plan, committed.offset());
        };
    }

    private static PlanFound unreadable(String why, @Nullable Long most) {
        var text = "the plan beside its offset can't be read, " + why
                + ": what was open is sent again in other batches, and up to "
                + (most == null ? "an unknown number of" : most) + " rows may be stored twice";
        return new PlanFound(null, most == null ? 0 : Math.max(0, most), new Said("plan_lost", text), null);
    }

    private static PlanFound of(KafkaSourceSettings settings, Plan plan, long offset) {
        var planning = settings.planning();
        if (planning != null && plan.cluster() != planning.cluster().get())
            return halted(
                    "its offset was committed for another Kafka cluster, and offsets that were copied do not count the"
                            + " same records",
                    "start a new group, or reset the group's offsets");
        if (planning != null && plan.fingerprint() == planning.fingerprint()) return new PlanFound(plan, 0, null, null);
        if (plan.segments().isEmpty()) return NONE;
        var end = plan.segments().getLast().to();
        var what = plan.segments().size() + " segments [" + offset + ", " + end
                + ") are open that were cut under other settings of delivery, format, route, sinks or shards";
        if (!settings.replans())
            return halted(
                    what,
                    "start it with the settings of before until it has drained, or set on_config_change: replan, which"
                            + " may store their rows twice");
        var rows = end - offset;
        var said = new Said("plan_lost", what + ": they are cut anew, and " + rows + " rows may be stored twice");
        return new PlanFound(null, rows, said, null);
    }

    private static PlanFound halted(String what, String remedy) {
        return new PlanFound(null, 0, null, new Halt(what, remedy));
    }
}
