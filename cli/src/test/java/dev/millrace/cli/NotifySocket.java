package dev.millrace.cli;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// A real datagram socket of the kind that systemd listens on, at a path or at a name after an `@`. Linux only.
///
/// Thread ownership: one thread.
@SuppressWarnings("restricted")
public final class NotifySocket implements AutoCloseable {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVTIMEO = 20;
    private static final int MOST_BYTES = 4096;

    private final Arena arena = Arena.ofConfined();
    private final String name;
    private final int descriptor;

    private NotifySocket(String name) {
        this.name = name;
        this.descriptor = call("socket", AF_UNIX, SOCK_DGRAM, 0);
    }

    /// Listens there. What it waits for has to come within the limit.
    public static NotifySocket listen(String name, Duration limit) {
        var socket = new NotifySocket(name);
        var path = name.getBytes(StandardCharsets.UTF_8);
        if (path[0] == '@') path[0] = 0;
        var address = socket.arena.allocate(2L + path.length);
        address.set(ValueLayout.JAVA_SHORT_UNALIGNED, 0, (short) AF_UNIX);
        MemorySegment.copy(path, 0, address, ValueLayout.JAVA_BYTE, 2, path.length);
        socket.call("bind", socket.descriptor, address, (int) address.byteSize());
        var wait = socket.arena.allocate(ValueLayout.JAVA_LONG, 2);
        wait.setAtIndex(ValueLayout.JAVA_LONG, 0, limit.toSeconds());
        socket.call("setsockopt", socket.descriptor, SOL_SOCKET, SO_RCVTIMEO, wait, (int) wait.byteSize());
        return socket;
    }

    /// What `NOTIFY_SOCKET` is to say.
    public String name() {
        return name;
    }

    /// The next message. Fails if none comes within the limit.
    public String next() {
        var buffer = arena.allocate(MOST_BYTES);
        var length = call("recv", descriptor, buffer, (long) MOST_BYTES, 0);
        return new String(buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    private int call(String function, Object... arguments) {
        try {
            var result = ((Number) handle(function, arguments).invokeWithArguments(arguments)).intValue();
            if (result < 0) throw new AssertionError(function + " failed, or nothing came");
            return result;
        } catch (Error error) {
            throw error;
        } catch (Throwable failure) {
            throw new AssertionError(function, failure);
        }
    }

    private static MethodHandle handle(String function, Object... arguments) {
        var layouts = new MemoryLayout[arguments.length];
        for (var i = 0; i < arguments.length; i++)
            layouts[i] = switch (arguments[i]) {
                case Integer _ -> ValueLayout.JAVA_INT;
                case Long _ -> ValueLayout.JAVA_LONG;
                default -> ValueLayout.ADDRESS;
            };
        var result = function.equals("recv") ? ValueLayout.JAVA_LONG : ValueLayout.JAVA_INT;
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(function), FunctionDescriptor.of(result, layouts));
    }

    @Override
    public void close() {
        call("close", descriptor);
        arena.close();
    }
}
