package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Description.Interrupted;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.TokenLog;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// What the shards of one sink said of themselves, each when it last answered.
///
/// Invariant: silence unlearns nothing, and a shard that was once found to need verification is
/// verified for as long as the sink lives, since a batch may be in doubt from before.
///
/// Thread ownership: shared.
final class KnownShards {
    /// The columns that rows are made for. Closed: switches over it have no default.
    sealed interface Columns {
        /// None were asked for.
        record None() implements Columns {}

        /// Rows for the shards before are none for this one.
        record Unlike(ShardId shard) implements Columns {}

        record Agreed(ServerColumns columns) implements Columns {}
    }

    private final Map<ShardId, List<ClickHouseEndpoint>> shards;
    private final Map<ShardId, TokenLog> logs = new ConcurrentHashMap<>();
    private final Map<ShardId, Interrupted> interrupted = new ConcurrentHashMap<>();
    private final Map<ShardId, ServerColumns> columns = new ConcurrentHashMap<>();
    private final Map<ShardId, TokenMemory> memories = new ConcurrentHashMap<>();
    private final double ownEntriesPerSecond;

    /// Whose endpoints were found to lead to one server.
    private final Set<ShardId> one = ConcurrentHashMap.newKeySet();

    /// Whose tables are replicated, and were found to be no replicas of one another.
    private final Set<ShardId> apart = ConcurrentHashMap.newKeySet();

    /// `ownEntriesPerSecond` are those that this process makes at most in a shard's deduplication log.
    KnownShards(Map<ShardId, List<ClickHouseEndpoint>> shards, double ownEntriesPerSecond) {
        this.shards = shards;
        this.ownEntriesPerSecond = ownEntriesPerSecond;
    }

    /// It has answered at least once.
    boolean answered(ShardId shard) {
        return logs.containsKey(shard);
    }

    /// What it remembers of tokens.
    TokenMemory memory(ShardId shard) {
        return memories.computeIfAbsent(shard, _ -> new TokenMemory(ownEntriesPerSecond));
    }

    /// No shard has answered.
    boolean none() {
        return logs.isEmpty();
    }

    /// Nothing is left to be asked of the shard before it is written to.
    boolean whole(ShardId shard) {
        return logs.containsKey(shard) && interrupted.containsKey(shard);
    }

    /// Of a shard that has not answered it is the worst.
    TokenLog tokenLog(ShardId shard) {
        var known = logs.get(shard);
        if (known != null) return known;
        return shards.getOrDefault(shard, List.of()).size() > 1 ? TokenLog.UNSHARED : TokenLog.SHARED;
    }

    void tokenLog(ShardId shard, TokenLog log) {
        logs.put(shard, log);
    }

    /// Of a shard that answered and could not tell it is that it is verified: what can't be read
    /// then is held.
    Interrupted interrupted(ShardId shard) {
        var found = interrupted.get(shard);
        if (found != null) return found;
        return logs.containsKey(shard) ? Interrupted.VERIFIED : Interrupted.STORED;
    }

    /// `found` is null where the shard did not tell.
    void interrupted(ShardId shard, @Nullable Interrupted found) {
        if (found != null)
            interrupted.merge(
                    shard, found, (before, now) -> before == Interrupted.VERIFIED ? Interrupted.VERIFIED : now);
    }

    /// Returns whether the shard's endpoints lead to one server, as far as is known.
    boolean oneServer(ShardId shard, OneServer.Found found) {
        switch (found) {
            case SAME -> one.add(shard);
            case OTHER -> one.remove(shard);
            case SILENT -> {}
        }
        return one.contains(shard);
    }

    /// Returns whether the shard's tables are no replicas of one another, as far as is known.
    boolean otherPaths(ShardId shard, OneServer.Found found) {
        switch (found) {
            case SAME -> apart.remove(shard);
            case OTHER -> apart.add(shard);
            case SILENT -> {}
        }
        return apart.contains(shard);
    }

    void columns(ShardId shard, ServerColumns told) {
        columns.put(shard, told);
    }

    /// What all shards have that ever answered.
    Columns columns() {
        @Nullable ServerColumns agreed = null;
        for (var shard : shards.keySet()) {
            var told = columns.get(shard);
            if (told == null) continue;
            agreed = agreed == null ? told : agreed.and(told);
            if (agreed == null) return new Columns.Unlike(shard);
        }
        return agreed == null ? new Columns.None() : new Columns.Agreed(agreed);
    }

    /// Whether rows that were made for a layout mean the same to the shard.
    boolean takes(ShardId shard, TableLayout layout) {
        var told = columns.get(shard);
        return told == null || told.takes(layout);
    }
}
