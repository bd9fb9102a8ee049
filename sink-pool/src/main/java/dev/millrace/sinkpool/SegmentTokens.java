package dev.millrace.sinkpool;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;

/// Names the batch of a segment by what it is: the same rows for the same shard have the same
/// token in every process and for ever, and other rows have another (I4). No clock, counter,
/// attempt, endpoint or run is in it.
///
/// It is a hash of pipeline, group, token epoch, topic id, partition, segment, sink, shard, lane
/// (the first lane, or the only one, is not named), the
/// sink's fingerprint, how many rows there are, and each row's offset with its leader epoch: a
/// router or a filter that is not pure, a log that was truncated, make another token, which costs
/// a repeat and never a row.
///
/// What is of no segment is named by `others`.
public final class SegmentTokens implements TokenMint {
    private static final int HASHED_BYTES = 16;

    private final String stream;
    private final Map<String, String> fingerprints;
    private final TokenMint others;

    /// `fingerprints` by the names of sinks.
    public SegmentTokens(
            String pipeline, String group, int tokenEpoch, Map<String, String> fingerprints, TokenMint others) {
        this.stream = field("v1") + field(pipeline) + field(group) + field(Integer.toString(tokenEpoch));
        this.fingerprints = Map.copyOf(fingerprints);
        this.others = others;
    }

    @Override
    public Token mint(ShardId shard, long sequence, BatchRows rows) {
        var chunk = rows.slices().getFirst().chunk();
        var segment = chunk.segment();
        if (segment == null) return others.mint(shard, sequence, rows);
        var partition = chunk.partition();
        var text = stream
                + field(partition.topicId().text())
                + field(Integer.toString(partition.partition()))
                + field(segment.from() + "-" + segment.to())
                + field(shard.sink())
                + field(shard.shard())
                + lane(chunk.target().lane())
                + field(fingerprints.getOrDefault(shard.sink(), ""))
                + field(Integer.toString(rows.rows()))
                + field(Long.toHexString(members(rows)));
        return new Token(hash(text));
    }

    // As it was named before there were lanes. Where there are more the fingerprint says so, and no field begins
    // with an L.
    private static String lane(int lane) {
        return lane == 0 ? "" : "L" + lane + ";";
    }

    // With its length before it: two fields are never read as two others.
    private static String field(String text) {
        return text.length() + ":" + text;
    }

    private static long members(BatchRows rows) {
        var hash = 0L;
        for (var slice : rows.slices()) {
            var chunk = slice.chunk();
            var leaderEpoch = chunk.leaderEpoch();
            for (var row = slice.fromRow(); row < slice.toRow(); row++)
                hash = mixed(mixed(hash ^ chunk.offset(row)) + leaderEpoch);
        }
        return hash;
    }

    /// The finishing steps of SplitMix64: every bit of the input moves every bit of the output.
    private static long mixed(long value) {
        var z = value + 0x9E3779B97F4A7C15L;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    private static String hash(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, HASHED_BYTES);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java runtime has SHA-256", impossible);
        }
    }
}
