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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What systemd is told of this process: `sd_notify`, one datagram to the socket that `NOTIFY_SOCKET` names.
///
/// Java has no datagram sockets in the file system, so this calls the C library. Without that variable nothing is
/// said. What can't be said is logged and changes nothing else: a process is not worth less for a manager that is deaf.
///
/// Thread ownership: any thread. Only [#stopping] never waits for the manager to read.
final class ServiceManager {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceManager.class);

    // Linux's numbers, on every processor that it runs on with a JDK 25.
    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int SOCK_CLOEXEC = 0x80000;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int FAMILY_BYTES = 2;
    private static final int PATH_BYTES = 108;

    private final @Nullable String socket;

    /// `socket` is a path, or a name after an `@`; null where no manager listens.
    ServiceManager(@Nullable String socket) {
        this.socket = socket == null || socket.isEmpty() ? null : socket;
    }

    static ServiceManager ofEnvironment() {
        return new ServiceManager(System.getenv("NOTIFY_SOCKET"));
    }

    /// The sinks have answered, and the group member polls.
    void running(String pipeline) {
        tell("READY=1\nSTATUS=" + pipeline + " runs");
    }

    /// It waits for its sinks or its broker, or looks at its topics.
    void starting(String pipeline) {
        tell("STATUS=" + pipeline + " starts: a sink that can't be reached is waited for");
    }

    /// It drains, and ends within `bound`, for which the manager's own time-out waits.
    ///
    /// Where that can't be said, nothing is logged either: a line may wait for who reads it, and the drain with it.
    void stopping(String pipeline, Duration bound) {
        var message = "STOPPING=1\nSTATUS=" + pipeline + " drains\nEXTEND_TIMEOUT_USEC=" + bound.toNanos() / 1_000;
        try {
            send(message, MSG_DONTWAIT);
        } catch (Throwable unsaid) {
            LOG.atTrace()
                    .addKeyValue("event", "service_manager_unreached")
                    .setCause(unsaid)
                    .log("NOTIFY_SOCKET");
        }
    }

    private void tell(String message) {
        try {
            send(message, 0);
        } catch (Throwable failure) { // a method handle may throw anything
            LOG.atWarn()
                    .addKeyValue("event", "service_manager_unreached")
                    .log("NOTIFY_SOCKET {}: {}", socket, String.valueOf(failure.getMessage()));
        }
    }

    private void send(String message, int flags) throws Throwable {
        var name = socket;
        if (name == null) return;
        try (var arena = Arena.ofConfined()) {
            var libc = new CLibrary(arena);
            var address = address(arena, name);
            var bytes = message.getBytes(StandardCharsets.UTF_8);
            var payload = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
            var descriptor = libc.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC);
            try {
                libc.sendTo(descriptor, payload, MSG_NOSIGNAL | flags, address);
            } finally {
                libc.close(descriptor);
            }
        }
    }

    /// `sockaddr_un`. An abstract name begins with a zero byte and is as long as the address says.
    private static MemorySegment address(Arena arena, String socket) {
        var path = socket.getBytes(StandardCharsets.UTF_8);
        if (path.length >= PATH_BYTES) throw new IllegalArgumentException("longer than " + (PATH_BYTES - 1) + " bytes");
        var isAbstract = path[0] == '@';
        if (isAbstract) path[0] = 0;
        var address = arena.allocate(FAMILY_BYTES + path.length + (isAbstract ? 0L : 1L));
        address.set(ValueLayout.JAVA_SHORT_UNALIGNED, 0, (short) AF_UNIX);
        MemorySegment.copy(path, 0, address, ValueLayout.JAVA_BYTE, FAMILY_BYTES, path.length);
        return address;
    }

    /// The three calls of the C library, with their errors as exceptions.
    @SuppressWarnings("restricted") // the launcher enables native access
    private static final class CLibrary {
        private static final Linker LINKER = Linker.nativeLinker();
        private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
        private static final MemoryLayout STATE = Linker.Option.captureStateLayout();

        private final MemorySegment state;

        CLibrary(Arena arena) {
            state = arena.allocate(STATE);
        }

        int socket(int family, int type) throws Throwable {
            var call = function(
                    "socket",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
            return (int) checked("socket", (int) call.invokeExact(state, family, type, 0));
        }

        void sendTo(int descriptor, MemorySegment payload, int flags, MemorySegment address) throws Throwable {
            var call = function(
                    "sendto",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_INT,
                            ValueLayout.ADDRESS,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_INT,
                            ValueLayout.ADDRESS,
                            ValueLayout.JAVA_INT));
            checked("sendto", (long) call.invokeExact(
                    state, descriptor, payload, payload.byteSize(), flags, address, (int) address.byteSize()));
        }

        void close(int descriptor) throws Throwable {
            var call = function("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
            checked("close", (int) call.invokeExact(state, descriptor));
        }

        private static MethodHandle function(String name, FunctionDescriptor descriptor) {
            return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, ERRNO);
        }

        private long checked(String call, long result) {
            if (result >= 0) return result;
            var errno = (int) STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"))
                    .get(state, 0L);
            throw new IllegalStateException(call + ": errno " + errno);
        }
    }
}
