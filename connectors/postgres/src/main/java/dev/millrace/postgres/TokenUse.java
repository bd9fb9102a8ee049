package dev.millrace.postgres;

import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.postgres.PostgresSettings.Tokens;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.Recognition;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.TokenLog;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/// Which shards' rows are written with their tokens.
///
/// Invariant: what was decided of a shard never changes. A row that went out without its token
/// once is not found by it later, so a table that is made while the pipeline runs is used from the
/// next start on. A shard that nobody looked at yet is written with tokens: without the table that
/// fails, and stores nothing.
///
/// Thread ownership: shared.
final class TokenUse {
    /// How a repeat is recognised at a shard.
    private enum By {
        TOKEN,
        /// `on_conflict: ignore`, and an index that names a row.
        KEY,
        NOTHING
    }

    private static final Recognition BY_ROW = new Recognition(TokenLog.SHARED, NanoClock.NEVER, true, false);

    private final Tokens settings;
    private final OnConflict onConflict;
    private final ConcurrentMap<ShardId, By> decided = new ConcurrentHashMap<>();

    TokenUse(Tokens settings, OnConflict onConflict) {
        this.settings = settings;
        this.onConflict = onConflict;
    }

    Tokens settings() {
        return settings;
    }

    /// The table of tokens is there, or not. `keyed`: a unique index names a row by what is sent.
    void looked(ShardId shard, TokenTable.Look look, boolean keyed) {
        switch (look) {
            case TokenTable.Look.Ready() -> decided.putIfAbsent(shard, By.TOKEN);
            case TokenTable.Look.Absent() ->
                decided.putIfAbsent(shard, keyed && onConflict == OnConflict.IGNORE ? By.KEY : By.NOTHING);
            case TokenTable.Look.Wrong _ -> {}
        }
    }

    boolean on(ShardId shard) {
        return decided.getOrDefault(shard, By.TOKEN) == By.TOKEN;
    }

    /// It was looked at, and has the table.
    boolean found(ShardId shard) {
        return decided.get(shard) == By.TOKEN;
    }

    Recognition recognition(ShardId shard) {
        return switch (decided.getOrDefault(shard, By.TOKEN)) {
            case TOKEN, KEY -> BY_ROW;
            case NOTHING -> Recognition.of(TokenLog.NONE);
        };
    }
}
