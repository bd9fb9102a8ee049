package dev.millrace.sinkpool;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a front for producers is made of: the shards of its one sink, in the order that the encoder counts in, how an
/// item becomes a row, how batches are named, where poison goes, and who is told. `seed` is where the jitter of retries
/// comes from. `deadLetters` stays the caller's. `endings` is told of each item; null for nobody, which costs nothing.
public record FrontParts<T>(
        List<ShardSpec> shards,
        ItemEncoder<T> encoder,
        TokenMint mint,
        long seed,
        DeadLetters deadLetters,
        PoolListener listener,
        @Nullable ItemEndings<T> endings) {
    /// Nobody is told of single items.
    public FrontParts(
            List<ShardSpec> shards,
            ItemEncoder<T> encoder,
            TokenMint mint,
            long seed,
            DeadLetters deadLetters,
            PoolListener listener) {
        this(shards, encoder, mint, seed, deadLetters, listener, null);
    }

    public FrontParts {
        shards = List.copyOf(shards);
        if (shards.isEmpty()) throw new IllegalArgumentException("a front has a shard");
        for (var shard : shards) {
            var id = shard.settings().shard();
            if (!id.sink().equals(shards.getFirst().settings().shard().sink()))
                throw new IllegalArgumentException(id + " is of another sink: a front has one");
            if (shard.settings().ordered() != shards.getFirst().settings().ordered())
                throw new IllegalArgumentException(id + ": a front keeps order in all of its shards, or in none");
            if (shard.settings().planned())
                throw new IllegalArgumentException(id + " is planned: what comes through a front is in no log to plan");
        }
    }

    boolean ordered() {
        return shards.getFirst().settings().ordered();
    }

    /// How many lanes each shard has; 0 where no order is kept.
    List<Integer> lanes() {
        return shards.stream()
                .map(shard -> ordered() ? shard.settings().lanes() : 0)
                .toList();
    }

    String sink() {
        return shards.getFirst().settings().shard().sink();
    }
}
