package dev.millrace.sinkpool;

import java.util.ArrayList;
import java.util.List;

/// The lanes of one share. A thread has the same one for as long as it lives, so what it puts stays in
/// order; and so has a key, for what all threads put of it.
///
/// Thread ownership: shared.
final class Lanes<T> {
    /// Eight threads begun one after the other have a lane each: consecutive multiples of the golden ratio lie at least
    /// a sixteenth apart.
    private static final int LEAST = 16;

    private static final int MOST = 128;
    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    private final List<Lane<T>> all;
    private final Lane<T>[] byPlace;
    private final int shift;

    /// At least two for each processor, up to 64 of them.
    @SuppressWarnings({"unchecked", "rawtypes"})
    Lanes(int processors) {
        var bits = 32 - Integer.numberOfLeadingZeros(Math.clamp(2L * processors, LEAST, MOST) - 1);
        shift = 64 - bits;
        byPlace = new Lane[1 << bits];
        var lanes = new ArrayList<Lane<T>>();
        for (var place = 0; place < byPlace.length; place++) {
            byPlace[place] = new Lane<>();
            lanes.add(byPlace[place]);
        }
        all = List.copyOf(lanes);
    }

    /// The one of the calling thread.
    Lane<T> mine() {
        return byPlace[(int) ((Thread.currentThread().threadId() * GOLDEN_RATIO) >>> shift)];
    }

    /// The one of a key.
    Lane<T> of(int keyHash) {
        return byPlace[(int) ((keyHash * GOLDEN_RATIO) >>> shift)];
    }

    List<Lane<T>> all() {
        return all;
    }
}
