package dev.millrace.bench;

/// How many requests it takes at most to find the poison rows of a batch that was refused (POI-11).
final class IsolationBound {
    private IsolationBound() {}

    /// Where the sink names the row: the whole; then for each poison row the rows before it, the rows behind it, and
    /// the row.
    static int named(int poison) {
        return 1 + 3 * poison;
    }

    /// By halves alone: the whole, and two parts for each that was refused and holds more than one row. Of those there
    /// are on a level as many as poison rows at most, and as parts. A row that was refused before the sink took
    /// anything is tried once more.
    ///
    /// That is 2 + 2·log2 n for one row, and about k·2·log2(n/k) for k.
    static int halves(int rows, int poison) {
        var refused = 0;
        var levels = 32 - Integer.numberOfLeadingZeros(rows - 1);
        for (var level = 0; level < levels; level++) refused += (int) Math.min(poison, 1L << level);
        return 1 + 2 * refused + poison;
    }
}
