package dev.millrace.pipeline;

import java.util.ArrayList;
import java.util.List;

/// Offsets as ranges, of which the first few are kept as examples.
///
/// Thread ownership: one thread.
final class OffsetRanges {
    /// So many.
    static final int MOST = 20;

    private final List<long[]> ranges = new ArrayList<>();

    /// In rising order.
    void add(long offset) {
        var last = ranges.isEmpty() ? null : ranges.getLast();
        if (last != null && last[1] >= offset - 1) last[1] = Math.max(last[1], offset);
        else if (ranges.size() <= MOST) ranges.add(new long[] {offset, offset});
    }

    /// Each as `17` or `40-42`; the last is `…` where there are more.
    List<String> texts() {
        var texts = new ArrayList<String>();
        for (var range : ranges) {
            if (texts.size() == MOST) {
                texts.add("…");
                break;
            }
            texts.add(range[0] == range[1] ? Long.toString(range[0]) : range[0] + "-" + range[1]);
        }
        return List.copyOf(texts);
    }
}
