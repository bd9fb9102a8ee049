package dev.millrace.lab;

/// Looks for a run of bytes in a stream that comes in blocks; it may lie across their borders.
///
/// Thread ownership: the thread that reads the stream.
final class ByteSearch {
    private final byte[] wanted;
    private final int[] back; // after a mismatch at i, how many of the bytes before it still fit
    private int fitting;

    ByteSearch(byte[] wanted) {
        this.wanted = wanted.clone();
        this.back = new int[wanted.length];
        for (int i = 1, fit = 0; i < wanted.length; i++) {
            while (fit > 0 && wanted[i] != wanted[fit]) fit = back[fit - 1];
            if (wanted[i] == wanted[fit]) fit++;
            back[i] = fit;
        }
    }

    /// Whether the run is complete by the end of this block. Once it is, it stays so.
    boolean found(byte[] block, int from, int to) {
        for (int i = from; i < to && fitting < wanted.length; i++) {
            while (fitting > 0 && block[i] != wanted[fitting]) fitting = back[fitting - 1];
            if (block[i] == wanted[fitting]) fitting++;
        }
        return fitting == wanted.length;
    }
}
