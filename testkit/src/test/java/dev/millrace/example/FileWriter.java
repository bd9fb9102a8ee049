package dev.millrace.example;

import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.PingCall;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.WriteCall;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;

// [writer]
/// Appends to one file, a batch at a time, and says `Written` when it is on the disk.
///
/// A batch that was not appended whole is cut off again. Where even that fails, or the disk did not say that it has the
/// rows, nobody knows what a reader will find: that is told as in doubt.
///
/// Thread ownership: shared; one attempt writes at a time.
final class FileWriter implements SinkWriter {
    private static final int TAIL_BYTES = 64 << 10;

    private final Path file;
    private final ReentrantLock turn = new ReentrantLock();

    FileWriter(Path file) {
        this.file = file;
    }

    @Override
    public WriteOutcome write(WriteCall call) throws InterruptedException {
        turn.lockInterruptibly(); // the pool interrupts at the deadline, when nothing is written yet
        try {
            return append(call);
        } finally {
            turn.unlock();
        }
    }

    private WriteOutcome append(WriteCall call) {
        var isNew = !Files.exists(file);
        try (var channel = open()) {
            call.onCancel(() -> end(channel)); // before the first byte
            var before = wholeRows(channel);
            try {
                var bytes = call.rows().gather();
                for (var left = call.rows().byteCount(); left > 0; ) left -= channel.write(bytes);
            } catch (IOException failure) {
                return failed(failure, !cutAt(before));
            }
            return durable(channel, isNew, call.rows());
        } catch (AccessDeniedException denied) {
            return new WriteOutcome.Misconfigured(failure("denied", denied, false));
        } catch (IOException failure) {
            return failed(failure, false); // not opened, or not looked at: nothing was written
        }
    }

    /// After a failed `force` the system may have dropped what it had, or not.
    private WriteOutcome durable(FileChannel channel, boolean isNew, BatchRows rows) {
        try {
            channel.force(true);
            if (isNew) forceFolder();
            return new WriteOutcome.Written(rows.rows(), 0);
        } catch (IOException failure) {
            return failed(failure, true);
        }
    }

    /// Where the next row goes. A crash may have left half of a row at the end, which nobody was told is stored: it is
    /// cut off.
    private long wholeRows(FileChannel channel) throws IOException {
        var size = channel.size();
        var end = size;
        for (var tail = ByteBuffer.allocate(TAIL_BYTES); end > 0; ) {
            var from = Math.max(0, end - TAIL_BYTES);
            tail.clear().limit((int) (end - from));
            while (tail.hasRemaining())
                if (channel.read(tail, from + tail.position()) < 0) throw new EOFException(file + " shrinks");
            var last = (int) (end - from) - 1;
            while (last >= 0 && tail.get(last) != '\n') last--;
            end = from + last + 1;
            if (last >= 0) break;
        }
        if (end < size) channel.truncate(end);
        channel.position(end);
        return end;
    }

    /// By a channel of its own: an attempt that was cancelled has lost its. Returns whether nothing of the batch is
    /// left.
    private boolean cutAt(long length) {
        try (var channel = open()) {
            channel.truncate(length);
            channel.force(true);
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    private FileChannel open() throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /// A file that is new is only found after a crash if its folder was written too.
    private void forceFolder() throws IOException {
        try (var folder = FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        }
    }

    private static void end(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure); // the pool tells of a hook that fails
        }
    }

    private static WriteOutcome failed(IOException failure, boolean mayHaveStored) {
        return new WriteOutcome.Unavailable(failure("io", failure, mayHaveStored), new Blame.Replica());
    }

    /// A file's name is no secret and no row.
    private static Failure failure(String code, IOException failure, boolean mayHaveStored) {
        return new Failure(code, failure.getClass().getSimpleName() + ": " + failure.getMessage(), mayHaveStored);
    }

    @Override
    public WriteOutcome ping(PingCall call) {
        var folder = file.toAbsolutePath().getParent();
        return Files.isWritable(Files.exists(file) ? file : folder)
                ? new WriteOutcome.Written(0, 0)
                : failed(new IOException(file + " can't be written"), false);
    }

    @Override
    public void close() {} // each attempt closes what it opened
}
// [/writer]
