package dev.millrace.sinkpool;

/// What becomes of a batch that may be stored at one replica, where no other would recognise it (WRT-11):
/// for `pinNanos` from its first ambiguous attempt on it waits for that replica, `then` decides.
public record AmbiguousSettings(long pinNanos, Then then) {
    /// Ten minutes, then it waits on.
    public static final AmbiguousSettings DEFAULT = new AmbiguousSettings(600_000_000_000L, Then.WAIT);

    public enum Then {
        /// It goes on waiting, and that is told.
        WAIT,
        /// It may go to any replica, and its rows count as possible duplicates when they are written.
        RESEND
    }

    public AmbiguousSettings {
        if (pinNanos < 0) throw new IllegalArgumentException("ambiguous.pin_for " + pinNanos + " ns < 0");
    }
}
