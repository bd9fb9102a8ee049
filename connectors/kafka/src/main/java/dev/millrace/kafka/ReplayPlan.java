package dev.millrace.kafka;

import dev.millrace.kafka.DeadLetterEntry.Origin;
import dev.millrace.kafka.ReplayReport.Skip;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Which letters a replay sends, and why not the others: decided before the first is sent.
///
/// A record goes once, however many sinks set it aside: all of them read the topic that it goes to.
final class ReplayPlan {
    private final ReplaySettings settings;
    private final Map<String, ReplayTarget> targets;
    private final Map<RecordPlace, DeadRow> sending = new HashMap<>();
    private final Map<Skip, Long> skipped = new EnumMap<>(Skip.class);

    /// `targets` are the topics that are there.
    ReplayPlan(ReplaySettings settings, List<DeadRow> rows, long foreign, Map<String, ReplayTarget> targets) {
        this.settings = settings;
        this.targets = targets;
        Set<Origin> taken = new HashSet<>();
        for (var row : rows) {
            var why = refusal(row);
            if (why == null && !taken.add(row.key())) why = Skip.OTHER_SINK;
            if (why == null) sending.put(row.at(), row);
            else skipped.merge(why, 1L, Long::sum);
        }
        if (foreign > 0 && settings.where().conditions().isEmpty()) skipped.put(Skip.FOREIGN, foreign);
    }

    private @Nullable Skip refusal(DeadRow row) {
        if (!settings.reads().test(row.origin().topic())) return Skip.NOT_READ;
        if (!targets.containsKey(row.origin().topic())) return Skip.NO_TOPIC;
        if (settings.force()) return null;
        if (row.replayed()) return Skip.REPLAYED;
        if (row.replays() >= settings.maxReplays()) return Skip.TOO_OFTEN;
        return row.gone() ? Skip.GONE : null;
    }

    /// By where the letter stands in the dead-letter topic.
    Map<RecordPlace, DeadRow> sending() {
        return sending;
    }

    /// Of a topic that something is sent to.
    ReplayTarget target(String topic) {
        var target = targets.get(topic);
        if (target == null) throw new IllegalArgumentException("nothing is sent to " + topic);
        return target;
    }

    Map<Skip, Long> skipped() {
        return skipped;
    }
}
