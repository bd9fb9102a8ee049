package dev.millrace.lab.clickhouse;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.lab.LabException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The functions of `libchdb.so` that an engine needs, by their own names and with their own rules: who gets a
/// handle must give it back, once, and a handle that was given back must not be used, or the JVM dies.
///
/// Its signal handlers are off: they would take the JVM's own signals away.
///
/// Thread ownership: any thread; a connection and what hangs on it belong to one thread at a time.
@SuppressWarnings("restricted") // a foreign library is what this class is about
final class Chdb {
    private final Linker linker = Linker.nativeLinker();
    private final SymbolLookup library;
    private final MethodHandle connect;
    private final MethodHandle close;
    private final MethodHandle query;
    private final MethodHandle resultBuffer;
    private final MethodHandle resultLength;
    private final MethodHandle resultError;
    private final MethodHandle resultElapsed;
    private final MethodHandle rowsRead;
    private final MethodHandle bytesRead;
    private final MethodHandle rowsWritten;
    private final MethodHandle bytesWritten;
    private final MethodHandle destroyResult;
    private final MethodHandle insert;
    private final MethodHandle append;
    private final MethodHandle done;
    private final MethodHandle cancel;
    private final MethodHandle insertError;
    private final MethodHandle destroyInsert;

    private Chdb(SymbolLookup library) {
        this.library = library;
        connect = function("chdb_connect", ADDRESS, JAVA_INT, ADDRESS);
        close = function("chdb_close_conn", null, ADDRESS);
        query = function("chdb_query_n", ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG);
        resultBuffer = function("chdb_result_buffer", ADDRESS, ADDRESS);
        resultLength = function("chdb_result_length", JAVA_LONG, ADDRESS);
        resultError = function("chdb_result_error", ADDRESS, ADDRESS);
        resultElapsed = function("chdb_result_elapsed", JAVA_DOUBLE, ADDRESS);
        rowsRead = function("chdb_result_storage_rows_read", JAVA_LONG, ADDRESS);
        bytesRead = function("chdb_result_storage_bytes_read", JAVA_LONG, ADDRESS);
        rowsWritten = function("chdb_result_rows_written", JAVA_LONG, ADDRESS);
        bytesWritten = function("chdb_result_bytes_written", JAVA_LONG, ADDRESS);
        destroyResult = function("chdb_destroy_query_result", null, ADDRESS);
        insert = function("chdb_stream_insert_n", ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG);
        append = function("chdb_stream_append", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
        done = function("chdb_stream_done", ADDRESS, ADDRESS);
        cancel = function("chdb_stream_cancel_insert", null, ADDRESS);
        insertError = function("chdb_stream_insert_error", ADDRESS, ADDRESS);
        destroyInsert = function("chdb_destroy_insert_stream", null, ADDRESS);
    }

    /// Loads it for the life of this JVM. A fifth of a second.
    static Chdb load(Path file) {
        var chdb = new Chdb(SymbolLookup.libraryLookup(file, Arena.global()));
        run(() -> {
            chdb.function("chdb_set_signal_handlers_enabled", null, JAVA_INT).invoke(0);
            return true;
        });
        return chdb;
    }

    private MethodHandle function(String name, @Nullable MemoryLayout result, MemoryLayout... arguments) {
        var descriptor =
                result == null ? FunctionDescriptor.ofVoid(arguments) : FunctionDescriptor.of(result, arguments);
        return linker.downcallHandle(library.findOrThrow(name), descriptor);
    }

    /// A connection with arguments as on a command line. The first decides where the data is.
    MemorySegment connect(List<String> arguments) {
        try (var arena = Arena.ofConfined()) {
            var words = arena.allocate(ADDRESS, arguments.size() + 1L);
            words.setAtIndex(ADDRESS, 0, arena.allocateFrom("clickhouse"));
            for (int i = 0; i < arguments.size(); i++) {
                words.setAtIndex(ADDRESS, i + 1L, arena.allocateFrom(arguments.get(i)));
            }
            MemorySegment connection = run(() -> (MemorySegment) connect.invoke(arguments.size() + 1, words));
            if (isNull(connection)) throw new LabException("the engine refuses to connect with " + arguments);
            return connection;
        }
    }

    void close(MemorySegment connection) {
        run(() -> {
            close.invoke(connection);
            return true;
        });
    }

    /// A result, which [#destroyResult] takes back. Data must not stand in the text: it would end at a blank line.
    MemorySegment query(MemorySegment connection, MemorySegment sql, MemorySegment format) {
        return run(
                () -> (MemorySegment) query.invoke(handle(connection), sql, sql.byteSize(), format, format.byteSize()));
    }

    /// What it answered, valid until the result is destroyed.
    MemorySegment buffer(MemorySegment result) {
        return run(() -> {
            long length = (long) resultLength.invoke(result);
            if (length == 0) return MemorySegment.NULL;
            return ((MemorySegment) resultBuffer.invoke(result)).reinterpret(length);
        });
    }

    /// Null if it went well.
    @Nullable
    String error(MemorySegment result) {
        return text(run(() -> (MemorySegment) resultError.invoke(result)));
    }

    EngineResult.Counts counts(MemorySegment result) {
        return run(() -> new EngineResult.Counts(
                (long) rowsRead.invoke(result),
                (long) bytesRead.invoke(result),
                (long) rowsWritten.invoke(result),
                (long) bytesWritten.invoke(result),
                (long) ((double) resultElapsed.invoke(result) * 1e9)));
    }

    void destroyResult(MemorySegment result) {
        run(() -> {
            destroyResult.invoke(result);
            return true;
        });
    }

    /// A stream of rows, which [#destroyInsert] takes back, whatever became of it.
    MemorySegment insert(MemorySegment connection, MemorySegment sql, MemorySegment format) {
        return run(() ->
                (MemorySegment) insert.invoke(handle(connection), sql, sql.byteSize(), format, format.byteSize()));
    }

    /// False if the stream has failed: [#done] says with what.
    boolean append(MemorySegment stream, MemorySegment bytes) {
        return run(() -> (int) append.invoke(stream, bytes, bytes.byteSize()) == 0);
    }

    /// Commits, and returns a result.
    MemorySegment done(MemorySegment stream) {
        return run(() -> (MemorySegment) done.invoke(stream));
    }

    void cancel(MemorySegment stream) {
        run(() -> {
            cancel.invoke(stream);
            return true;
        });
    }

    @Nullable
    String insertError(MemorySegment stream) {
        return text(run(() -> (MemorySegment) insertError.invoke(stream)));
    }

    void destroyInsert(MemorySegment stream) {
        run(() -> {
            destroyInsert.invoke(stream);
            return true;
        });
    }

    // A connection is a pointer to the handle that all other functions take.
    private static MemorySegment handle(MemorySegment connection) {
        return connection.reinterpret(ADDRESS.byteSize()).get(ADDRESS, 0);
    }

    private static boolean isNull(MemorySegment pointer) {
        return pointer.address() == 0;
    }

    private static @Nullable String text(MemorySegment pointer) {
        if (isNull(pointer)) return null;
        return pointer.reinterpret(Long.MAX_VALUE).getString(0);
    }

    static MemorySegment bytes(Arena arena, byte[] content) {
        return arena.allocateFrom(JAVA_BYTE, content);
    }

    @FunctionalInterface
    private interface Call<T> {
        T run() throws Throwable;
    }

    private static <T> T run(Call<T> call) {
        try {
            return call.run();
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable failure) {
            throw new LabException("a call of the engine's library failed", failure);
        }
    }
}
