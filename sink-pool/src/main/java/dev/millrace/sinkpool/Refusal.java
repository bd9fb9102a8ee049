package dev.millrace.sinkpool;

/// Why no slots are given: by which limit, how many were asked for, and how much of what bound is taken. In bytes for
/// [Limit#BYTES], in slots else, and for [Limit#WAITING] with those that others wait for.
public record Refusal(Limit by, long asked, long taken, long bound) {
    /// What a reservation is refused by.
    public enum Limit {
        ROWS("reserve.rows", "rows"),
        /// What is in the share has reached its bytes.
        BYTES("reserve.bytes", "bytes"),
        /// There may be enough, but others wait, and go first.
        WAITING("reserve.waiting", "rows"),
        /// The deadline had passed when it was asked.
        DEADLINE("reserve.deadline", "rows"),
        /// The front takes nothing any more.
        CLOSED("closed", "rows");

        private final String word;
        private final String unit;

        Limit(String word, String unit) {
            this.word = word;
            this.unit = unit;
        }

        public String word() {
            return word;
        }
    }

    /// Whether waiting may help.
    boolean passes() {
        return switch (by) {
            case ROWS -> asked <= bound;
            case BYTES, WAITING -> true;
            case DEADLINE, CLOSED -> false;
        };
    }

    /// As in `reserve.rows: 12 slots asked for, 745 of 750 rows taken`.
    @Override
    public String toString() {
        return by.word + ": " + asked + " slots asked for, " + taken + " of " + bound + " " + by.unit + " taken";
    }
}
