package dev.millrace.kafka;

/// Why a partition is not polled.
public enum PauseReason {
    /// The admission budget is full.
    BUDGET,
    /// A shard that its rows go to takes no more.
    TARGET,
    /// Too many dead letters of it wait to be acknowledged.
    DEAD_LETTERS,
    /// Too many of its rows are poison to be poison (POI-13), or a row needs a column that is gone.
    DRIFT,
    /// A sink's table changed: what was made for the old one is finished or given up, then it is
    /// read again.
    LAYOUT,
    /// As many segments are open as may be, or the plan's text is as long as it may be.
    PLAN,
    /// `checkpoint.max_pending` ranges above the watermark.
    PENDING,
    /// A stop was asked for.
    DRAIN,
    /// Its topic changed, its log lost something, or one of its rows is poison: nothing more of it
    /// is taken.
    HALTED
}
