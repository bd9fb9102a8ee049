package dev.millrace.sinkpool;

/// Who among the replicas of a shard recognises a batch that is sent again.
public enum TokenLog {
    /// Every replica recognises what any of them stored, or there is but one.
    SHARED,
    /// Each replica recognises only what it stored itself.
    UNSHARED,
    /// None: what is sent again is stored again.
    NONE
}
