package dev.millrace.intake;

import dev.millrace.sinkpool.ItemEncoder;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;

/// Copies rows that were encoded with their request, before it was admitted.
///
/// Thread ownership: immutable.
public final class RowCopies implements ItemEncoder<IntakeRow> {
    @Override
    public int shard(String tenant, IntakeRow row) {
        return row.shard();
    }

    @Override
    public int bytes(IntakeRow row) {
        return row.length();
    }

    @Override
    public int keyHash(String tenant, IntakeRow row) {
        return row.keyHash();
    }

    @Override
    public int layout(IntakeRow row) {
        return row.layout();
    }

    @Override
    public RowEncoder.Encoded encode(String tenant, IntakeRow row, RowBuffer buffer) {
        buffer.put(row.takeBytes(), row.from(), row.length());
        return RowEncoder.Encoded.WRITTEN;
    }
}
