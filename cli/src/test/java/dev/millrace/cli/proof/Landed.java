package dev.millrace.cli.proof;

import java.util.BitSet;
import java.util.List;
import java.util.Map;

/// What the tables of one run hold of a [PoisonMix].
///
/// @param again of rows that are there more than once, how often beyond the first
/// @param altered rows that hold something else than was produced, poison among them
record Landed(BitSet ids, Map<Integer, Integer> again, List<Integer> altered) {
    int repeats() {
        return again.values().stream().mapToInt(Integer::intValue).sum();
    }
}
