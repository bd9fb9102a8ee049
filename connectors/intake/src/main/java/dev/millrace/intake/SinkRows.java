package dev.millrace.intake;

import dev.millrace.sinkpool.RowEncoder.Encoded;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The rows of one body for one sink, as they are encoded and before any is admitted.
///
/// Thread ownership: the request's thread.
final class SinkRows {
    private static final int EACH = 3;

    /// One request may take so much of what a sink holds: 1 / 4.
    private static final int PART_OF_A_SINK = 4;

    private final IntakeSink sink;
    private final IntakeSink.Encoder encoder;
    private final RowBytes bytes;
    private final long maxRows;
    private final long maxBytes;
    /// Of each row its line, its shard, and where it ends.
    private int[] rows = new int[EACH * 64];

    private int count;
    /// Of them were handed over, and leave their room when they end.
    private int staged;
    private final long[] shardRows;
    private final long[] shardBytes;

    SinkRows(IntakeSink sink, int bodyBytes) {
        this.sink = sink;
        this.encoder = sink.encoder();
        this.bytes = new RowBytes(bodyBytes + bodyBytes / 8);
        this.shardRows = new long[sink.rooms().count()];
        this.shardBytes = new long[shardRows.length];
        this.maxRows = sink.inlet().maxRows();
        this.maxBytes = sink.inlet().maxBytes() / PART_OF_A_SINK;
    }

    IntakeSink sink() {
        return sink;
    }

    int count() {
        return count;
    }

    /// More rows, or more bytes of them, than the sink takes in one request; null if it is not.
    @Nullable
    Admitted beyond() {
        if (count > maxRows) return new Admitted.TooMany(sink.name(), count, maxRows);
        return bytes.at() > maxBytes ? new Admitted.TooLarge(sink.name(), maxBytes) : null;
    }

    /// Why no row can be made of the line for now, for no fault of its own; null if one can.
    @Nullable
    String waitsFor(BodyLines line) {
        return encoder.encoder().waitsFor(line);
    }

    /// Makes a row of the line. Returns why it can never be one, or null; one that is left out on purpose is none.
    @Nullable
    String add(BodyLines line) {
        var before = bytes.at();
        return switch (encoder.encoder().encode(line, bytes)) {
            case Encoded.Written _ -> {
                keep(line, bytes.at() - before);
                yield null;
            }
            case Encoded.Skipped _ -> {
                bytes.backTo(before);
                yield null;
            }
            case Encoded.Poison(var reason, var detail) -> reason + ": " + detail;
        };
    }

    private void keep(BodyLines line, int length) {
        if (EACH * count == rows.length) rows = Arrays.copyOf(rows, 2 * rows.length);
        rows[EACH * count] = line.line();
        var shard = sink.shard(line);
        rows[EACH * count + 1] = shard;
        shardRows[shard]++;
        shardBytes[shard] += length;
        rows[EACH * count + 2] = bytes.at();
        count++;
    }

    /// Room for all of it at its shards. Null: it is taken.
    ShardRooms.@Nullable Without takeRooms(long nowNanos) {
        return sink.rooms().take(shardRows, shardBytes, nowNanos);
    }

    /// That of the rows that were not handed over.
    void giveRoomsBack() {
        for (; staged < count; staged++) {
            var from = staged == 0 ? 0 : rows[EACH * staged - 1];
            sink.rooms().giveBack(rows[EACH * staged + 1], rows[EACH * staged + 2] - from);
        }
    }

    /// Spends a slot for each row. Those that the sink no longer takes are told as given up.
    void stage(Inlet.Held slots, String topic, int keyHash, Outcome outcome) {
        var layout = encoder.encoder().layout();
        var from = 0;
        for (var at = 0; at < EACH * count; at += EACH) {
            var place = new IntakeRow.Place(topic, sink.name(), rows[at], rows[at + 1], layout, keyHash);
            var row = new IntakeRow(outcome, place, bytes.array(), from, rows[at + 2]);
            from = rows[at + 2];
            staged++;
            if (!slots.stage(row)) outcome.tooLate(row);
        }
    }

    void giveEncoderBack() {
        sink.giveBack(encoder);
    }
}
