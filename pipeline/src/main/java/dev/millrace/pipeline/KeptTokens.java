package dev.millrace.pipeline;

import dev.millrace.checkpoint.PlanCodec;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.NewestTokens;
import dev.millrace.sinkpool.NewestTokens.Answer;
import dev.millrace.sinkpool.SealedBatch;
import dev.millrace.sinkpool.ShardId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The token that each shard acknowledged last of each partition, where tokens are kept for
/// good: they go into the committed plan, and whoever gets the partition next asks the shards for
/// them. A shard that has one no longer was restored to an older state, or emptied (EO-13).
///
/// The last, and not that of the farthest segment: what is tried again, or is of another lane, is stored later than
/// segments behind it, and a state from between the two lacks it alone. Of two writes that were under way at once the
/// one whose answer came last is taken for the later.
///
/// Thread ownership: shared.
final class KeptTokens {
    private static final Logger LOG = LoggerFactory.getLogger(KeptTokens.class);
    private static final Duration ASK = Duration.ofSeconds(10);
    private static final Duration ASK_AGAIN = Duration.ofSeconds(5);
    private static final int PREFIX_DIGITS = 16;

    /// Of the segment that ends at `to`. `known`: the shard had it before, since nobody can tell when, but
    /// before all that was stored now; of two of these the one that lies farther on was most likely stored later.
    private record Newest(long to, long prefix, boolean known) {
        static Newest later(Newest a, Newest b) {
            if (!b.known) return b;
            return a.known && b.to >= a.to ? b : a;
        }
    }

    private final Map<ShardId, NewestTokens> shards;
    private final Map<Integer, ShardId> byHash = new LinkedHashMap<>();
    private final Map<SourcePartition, Map<Integer, Newest>> newest = new ConcurrentHashMap<>();
    private final NanoClock clock;
    private final BooleanSupplier stopped;
    private final Consumer<String> missing;

    /// `missing` is told what to say of a shard that has a token no longer.
    KeptTokens(Map<ShardId, NewestTokens> shards, NanoClock clock, BooleanSupplier stopped, Consumer<String> missing) {
        this.shards = Map.copyOf(shards);
        this.clock = clock;
        this.stopped = stopped;
        this.missing = missing;
        for (var shard : shards.keySet()) byHash.put(hash(shard), shard);
    }

    /// Why a plan with a token of each shard has no room for segments; null where it has (EO-8).
    @Nullable
    String tooMany(int metadataLimit) {
        return tooMany(shards.size(), metadataLimit);
    }

    static @Nullable String tooMany(int shards, int metadataLimit) {
        var characters = PlanCodec.leastCharacters(shards);
        if (characters <= metadataLimit * 3L / 4) return null;
        return "checkpoint.metadata_limit " + metadataLimit + ": a plan names the newest token of each of " + shards
                + " PostgreSQL shards, which takes " + characters
                + " characters, and three quarters of the limit are for plans: raise it, and offset.metadata.max.bytes"
                + " of the brokers with it, or set delivery: at_least_once";
    }

    private static int hash(ShardId shard) {
        var crc = new CRC32();
        crc.update(shard.toString().getBytes(StandardCharsets.UTF_8));
        return (int) crc.getValue();
    }

    /// A shard has it, and had it before if it is `known`. Before its rows are settled; for one shard in the order of
    /// its answers.
    void written(ShardId shard, SealedBatch batch, boolean known) {
        var segment = batch.segment();
        var tokens = shards.get(shard);
        if (segment == null || tokens == null || !tokens.keepsTokens(shard)) return;
        var partition = batch.rows().slices().getFirst().chunk().partition();
        newest.computeIfAbsent(partition, _ -> new ConcurrentHashMap<>())
                .merge(
                        hash(shard),
                        new Newest(segment.to(), prefix(batch.token().batch()), known),
                        Newest::later);
    }

    private static long prefix(String token) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(token, 0, PREFIX_DIGITS)).getLong();
    }

    /// By the hashes of the shards' names.
    Map<Integer, Long> of(SourcePartition partition) {
        var of = newest.get(partition);
        if (of == null) return Map.of();
        var out = new LinkedHashMap<Integer, Long>();
        of.forEach((shard, token) -> out.put(shard, token.prefix()));
        return out;
    }

    /// A partition came, and its plan names these: asks for them, on a thread of its own. Blocks
    /// for nothing.
    ///
    /// What this process was acknowledged when it had the partition before is older than these, if
    /// anything: others went on from there, and a token of long ago may have been pruned meanwhile.
    void found(SourcePartition partition, Map<Integer, Long> tokens) {
        newest.remove(partition);
        tokens.forEach((hash, prefix) -> {
            var shard = byHash.get(hash);
            if (shard != null)
                Thread.ofVirtual().name("millrace-tokens-" + shard).start(() -> ask(partition, shard, prefix));
        });
    }

    private void ask(SourcePartition partition, ShardId shard, long prefix) {
        var tokens = shards.get(shard);
        if (tokens == null) return;
        var bytes = ByteBuffer.allocate(Long.BYTES).putLong(prefix).array();
        var told = false;
        while (!stopped.getAsBoolean()) {
            switch (tokens.knows(shard, bytes, clock.nanoTime() + ASK.toNanos())) {
                case Answer.Known() -> {
                    return;
                }
                case Answer.Missing() -> {
                    missing.accept(partition + ": " + shard + " does not have the token "
                            + HexFormat.of().toHexDigits(prefix)
                            + ", which it had acknowledged: it was restored to an older state, or emptied. Reset the"
                            + " group's offsets to before that, or set a higher token_epoch, which goes on without"
                            + " what is missing");
                    return;
                }
                case Answer.CannotTell(var why) -> {
                    if (!told)
                        LOG.atWarn()
                                .addKeyValue("event", "tokens_not_asked")
                                .log("partition={} shard={} why=\"{}\"", partition, shard, why);
                    told = true;
                }
            }
            try {
                Thread.sleep(ASK_AGAIN);
            } catch (InterruptedException _) {
                return;
            }
        }
    }
}
