package dev.millrace.config;

/// What happens to a row that cannot become a row of the sink.
public record PoisonConfig(Action action) {

    /// STOP fails the row's range and ends the process; SKIP acknowledges and counts it.
    public enum Action {
        STOP,
        SKIP
    }
}
