package dev.millrace.sinkpool;

/// Where a row goes: a sink and a shard of it, as positions in this run's configuration, and a lane of the
/// shard. With `ordering: none` there is one lane, 0.
public record Target(int sink, int shard, int lane) {
    public Target {
        if (sink < 0 || shard < 0 || lane < 0)
            throw new IllegalArgumentException("target " + sink + "/" + shard + "/" + lane + " is negative");
    }
}
