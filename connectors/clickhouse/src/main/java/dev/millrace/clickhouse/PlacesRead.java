package dev.millrace.clickhouse;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/// Reads lines of a partition and an offset from an answer, as they arrive: nothing of it is kept.
///
/// Thread ownership: the client's, one call at a time; what it tells, after the answer has ended.
final class PlacesRead implements Consumer<ByteBuffer> {
    /// Told of each line.
    interface Place {
        void at(int partition, long offset);
    }

    private final Place told;
    private long partition;
    private long number;
    private int digits;
    private boolean tab;
    private boolean broken;

    PlacesRead(Place told) {
        this.told = told;
    }

    @Override
    public void accept(ByteBuffer bytes) {
        while (bytes.hasRemaining() && !broken) read(bytes.get());
    }

    private void read(byte b) {
        if (b >= '0' && b <= '9') {
            // No offset has more.
            broken = ++digits > 19;
            number = number * 10 + b - '0';
            return;
        }
        broken = digits == 0 || (b == '\t' ? tab : b != '\n' || !tab) || (b == '\t' && number > Integer.MAX_VALUE);
        if (broken) return;
        if (b == '\t') partition = number;
        else told.at((int) partition, number);
        tab = b == '\t';
        number = 0;
        digits = 0;
    }

    /// It was lines to its end.
    boolean whole() {
        return !broken && digits == 0 && !tab;
    }
}
