package dev.millrace.sinkpool;

import dev.millrace.checkpoint.Ack;
import dev.millrace.checkpoint.SourcePartition;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Collects the rows of one partition in one epoch for one target into chunks.
///
/// A row's bytes are copied once, from the record into the slab. A chunk is handed over when the next row
/// does not fit, when it reached `chunk.target_bytes`, and at [#handOver]. It takes a part of a range's
/// acknowledgement at the first row of that range, not before, so a range of skipped rows is done when
/// the source closes it.
///
/// Thread ownership: the source thread.
public final class ChunkBuilder implements RowBuffer {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final SourcePartition partition;
    private final long epoch;
    private final Target target;
    private final SlabSource slabs;
    private final int targetBytes;
    private final AdmissionBudget budget;
    private final RowTally tally;
    private final Consumer<EncodedChunk> ready;

    private @Nullable Ack ack;
    private boolean begun;
    private long polledNanos;
    private boolean partTaken;

    private @Nullable Slab slab;
    private int from;
    private int indexFrom;
    private int rowStart;
    private int at;
    private int rows;
    private int layout;
    private long firstOffset;
    private long oldestNanos;
    private ArrayList<Ack.Part> parts = new ArrayList<>(2);

    /// Chunks that are done go to `ready`, on the calling thread.
    public ChunkBuilder(
            SourcePartition partition,
            long epoch,
            Target target,
            SlabSource slabs,
            AdmissionBudget budget,
            RowTally tally,
            Consumer<EncodedChunk> ready) {
        this.partition = partition;
        this.epoch = epoch;
        this.target = target;
        this.slabs = slabs;
        this.targetBytes = slabs.targetBytes();
        this.budget = budget;
        this.tally = tally;
        this.ready = ready;
    }

    /// The rows that follow are of this range, which a poll gave at `polledNanos`.
    public void begin(Ack range, long polled) {
        ack = range;
        begun = true;
        polledNanos = polled;
        partTaken = false;
    }

    /// The rows that follow were polled at `polled`, and nobody waits for them: their chunks take
    /// part of no range.
    public void beginUnawaited(long polled) {
        ack = null;
        begun = true;
        polledNanos = polled;
        partTaken = true;
    }

    /// Encodes one record as one row; all rows of one builder are of one layout. What is not
    /// [RowEncoder.Encoded.Written] leaves no byte behind.
    public RowEncoder.Encoded append(RecordView record, RowEncoder encoder) {
        if (!begun) throw new IllegalStateException(partition + ": a row before its range began");
        if (rows > 0 && record.offset() - firstOffset > Integer.MAX_VALUE) handOver();
        openSlab();
        rowStart = at;
        var whole = false;
        try {
            var encoded = encoder.encode(record, this);
            if (encoded instanceof RowEncoder.Encoded.Written) {
                var itsLayout = encoder.layout(); // may throw, and then it is no row
                whole = true;
                endRow(record.offset(), itsLayout);
            }
            return encoded;
        } finally {
            if (!whole) takeBack();
        }
    }

    /// Takes the begun row's bytes back, and with them a slab that grew for it alone.
    private void takeBack() {
        at = rowStart;
        var open = slab;
        if (rows > 0 || open == null || open.bytes.length <= targetBytes) return;
        slab = null;
        open.left();
    }

    private void endRow(long offset, int ofLayout) {
        var open = openSlab();
        if (rows == 0) {
            layout = ofLayout;
            firstOffset = offset;
            oldestNanos = polledNanos;
        }
        if (!partTaken) takePart();
        var place = indexFrom + 2 * rows;
        var index = open.indexFor(place);
        index[place] = at;
        index[place + 1] = (int) (offset - firstOffset);
        rows++;
        if (at - from >= targetBytes || open.full(place + 2)) handOver();
    }

    private void takePart() {
        var range = ack;
        if (range != null) parts.add(range.part());
        partTaken = true;
    }

    /// Hands over what there is, if anything.
    public void handOver() {
        var open = slab;
        if (open == null) return;
        slab = null;
        if (rows == 0) {
            slabs.giveBack(open);
            return;
        }
        var end = open.index[indexFrom + 2 * (rows - 1)];
        open.at = end;
        open.indexAt = indexFrom + 2 * rows;
        // Before the source of slabs may give it up: it could be anybody's then.
        open.used();
        slabs.giveBack(open);
        var lease = budget.take(rows, end - from);
        var chunk = new EncodedChunk(
                partition,
                epoch,
                target,
                layout,
                open,
                from,
                indexFrom,
                rows,
                firstOffset,
                oldestNanos,
                parts,
                lease,
                tally);
        tally.took(rows);
        parts = new ArrayList<>(2);
        partTaken = false;
        rows = 0;
        ready.accept(chunk);
    }

    /// Rows collected and not handed over.
    public int rows() {
        return rows;
    }

    /// When the poll that gave the oldest row not handed over returned. Meaningless without rows.
    public long oldestNanos() {
        return oldestNanos;
    }

    @Override
    public void put(byte b) {
        var open = room(1);
        open.bytes[at++] = b;
    }

    @Override
    public void put(byte[] source, int sourceFrom, int length) {
        var open = room(length);
        System.arraycopy(source, sourceFrom, open.bytes, at, length);
        at += length;
    }

    @Override
    public void putLine(byte[] source, int sourceFrom, int length) {
        var open = room(length + 1);
        System.arraycopy(source, sourceFrom, open.bytes, at, length);
        open.bytes[at + length] = '\n';
        at += length + 1;
    }

    @Override
    public void putLittleEndian(long value, int bytes) {
        // What it writes beyond, the next byte writes again.
        LONG.set(room(Long.BYTES).bytes, at, value);
        at += bytes;
    }

    @Override
    public void putAscii(String text) {
        var open = room(text.length());
        for (var i = 0; i < text.length(); i++) open.bytes[at++] = (byte) text.charAt(i);
    }

    private Slab openSlab() {
        var open = slab;
        return open != null ? open : openSlab(1);
    }

    private Slab openSlab(int leastBytes) {
        var fresh = slabs.lease(leastBytes);
        slab = fresh;
        from = fresh.at;
        at = fresh.at;
        indexFrom = fresh.indexAt;
        return fresh;
    }

    /// A slab with room for `length` more bytes of the current row. Rows before it are handed over; the
    /// begun row moves along.
    private Slab room(int length) {
        var open = openSlab();
        if (open.bytes.length - at >= length) return open;
        var begun = at - rowStart;
        var fresh = slabs.fresh(Math.addExact(Math.multiplyExact(begun, 2), length));
        System.arraycopy(open.bytes, rowStart, fresh.bytes, 0, begun);
        handOver();
        slab = fresh;
        from = 0;
        indexFrom = 0;
        rowStart = 0;
        at = begun;
        return fresh;
    }
}
