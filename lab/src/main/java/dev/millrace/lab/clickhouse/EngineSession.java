package dev.millrace.lab.clickhouse;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// One statement in the engine's process: a connection of its own, its database, its settings, the statement.
///
/// Thread ownership: the thread that serves it.
final class EngineSession implements AutoCloseable {
    static final byte DONE = 0;
    static final byte FAILED = 1;
    static final int BLOCK_BYTES = 256 << 10;

    private static final String TEXT = "TabSeparated";

    private final Chdb chdb;
    private final MemorySegment connection;
    private final Arena arena = Arena.ofConfined();

    private EngineSession(Chdb chdb, List<String> arguments) {
        this.chdb = chdb;
        this.connection = chdb.connect(arguments);
    }

    static void serve(SocketChannel client, Chdb chdb, List<String> arguments) {
        try (client;
                var session = new EngineSession(chdb, arguments)) {
            var in = new DataInputStream(new BufferedInputStream(Channels.newInputStream(client), BLOCK_BYTES));
            var out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(client)));
            session.run(EngineRequest.read(in), in, out);
            out.flush();
        } catch (IOException gone) {
            // Whoever asked has gone. Its insert was cancelled, unless it was done.
        }
    }

    @Override
    public void close() {
        chdb.close(connection);
        arena.close();
    }

    private void run(EngineRequest request, DataInputStream in, DataOutputStream out) throws IOException {
        String refused = prepare(request);
        if (refused == null && request.rows()) insert(request, in, out);
        else if (refused == null) query(request, out);
        else {
            if (request.rows()) skip(in);
            fail(out, refused);
        }
    }

    /// Returns the engine's refusal, or null.
    private @Nullable String prepare(EngineRequest request) {
        String refused = null;
        if (!request.database().isEmpty()) refused = command("USE `" + escaped(request.database(), '`') + "`");
        if (refused == null && !request.settings().isEmpty()) refused = command("SET " + list(request.settings()));
        return refused;
    }

    private static String list(Map<String, String> settings) {
        return settings.entrySet().stream()
                .map(setting -> setting.getKey() + " = '" + escaped(setting.getValue(), '\'') + "'")
                .collect(Collectors.joining(", "));
    }

    private static String escaped(String text, char quote) {
        return text.replace("\\", "\\\\").replace(String.valueOf(quote), "\\" + quote);
    }

    private @Nullable String command(String sql) {
        MemorySegment result = chdb.query(connection, bytes(sql), bytes(TEXT));
        try {
            return chdb.error(result);
        } finally {
            chdb.destroyResult(result);
        }
    }

    private void query(EngineRequest request, DataOutputStream out) throws IOException {
        MemorySegment result = chdb.query(connection, bytes(request.sql()), bytes(request.format()));
        try {
            answer(result, out);
        } finally {
            chdb.destroyResult(result);
        }
    }

    private void insert(EngineRequest request, DataInputStream in, DataOutputStream out) throws IOException {
        MemorySegment stream = chdb.insert(connection, bytes(request.sql()), bytes(request.format()));
        boolean ended = false;
        try {
            String refused = chdb.insertError(stream);
            if (refused != null) {
                skip(in);
                ended = true;
                fail(out, refused);
                return;
            }
            append(stream, in);
            ended = true;
            MemorySegment result = chdb.done(stream);
            try {
                answer(result, out);
            } finally {
                chdb.destroyResult(result);
            }
        } finally {
            if (!ended) chdb.cancel(stream);
            chdb.destroyInsert(stream);
        }
    }

    // A stream that has failed takes no more: the rest is read, so that who sends it can read the answer.
    private void append(MemorySegment stream, DataInputStream in) throws IOException {
        byte[] block = new byte[BLOCK_BYTES];
        var outside = arena.allocate(BLOCK_BYTES);
        boolean takes = true;
        for (int length = in.readInt(); length > 0; length = in.readInt()) {
            in.readFully(block, 0, length);
            MemorySegment.copy(block, 0, outside, JAVA_BYTE, 0, length);
            if (takes) takes = chdb.append(stream, outside.asSlice(0, length));
        }
    }

    private static void skip(DataInputStream in) throws IOException {
        for (int length = in.readInt(); length > 0; length = in.readInt()) in.skipNBytes(length);
    }

    private void answer(MemorySegment result, DataOutputStream out) throws IOException {
        String failure = chdb.error(result);
        if (failure != null) {
            fail(out, failure);
            return;
        }
        var counts = chdb.counts(result);
        MemorySegment buffer = chdb.buffer(result);
        out.writeByte(DONE);
        for (long count : List.of(
                counts.rowsRead(), counts.bytesRead(), counts.rowsWritten(), counts.bytesWritten(), counts.nanos())) {
            out.writeLong(count);
        }
        out.writeInt(Math.toIntExact(buffer.byteSize()));
        for (long at = 0; at < buffer.byteSize(); at += BLOCK_BYTES) {
            long length = Math.min(BLOCK_BYTES, buffer.byteSize() - at);
            out.write(buffer.asSlice(at, length).toArray(JAVA_BYTE));
        }
    }

    private static void fail(DataOutputStream out, String text) throws IOException {
        out.writeByte(FAILED);
        EngineRequest.write(out, text);
    }

    private MemorySegment bytes(String text) {
        return Chdb.bytes(arena, text.getBytes(StandardCharsets.UTF_8));
    }
}
