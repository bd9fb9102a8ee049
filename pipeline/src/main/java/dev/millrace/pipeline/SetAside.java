package dev.millrace.pipeline;

import dev.millrace.kafka.PartitionView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Rows that are poison, by their reasons: an encoder's words, and the codes of servers that refused them.
///
/// A server may have any number of codes; of those beyond [#MOST] only the sum is kept.
///
/// Thread ownership: shared.
final class SetAside {
    private static final int MOST = 50;
    private static final String OTHER = "other";

    private final Map<String, Long> refused = new HashMap<>();

    synchronized void refused(String code) {
        var known = refused.containsKey(code) || refused.size() < MOST;
        refused.merge(known ? code : OTHER, 1L, Long::sum);
    }

    /// With what was found before it was sent.
    synchronized Map<String, Long> byReason(List<PartitionView> partitions) {
        var all = new TreeMap<>(refused);
        for (var partition : partitions)
            for (var sink : partition.sinks())
                sink.poison().forEach((reason, rows) -> all.merge(reason, rows, Long::sum));
        return all;
    }
}
