package dev.millrace.bench;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The processor time that processes have taken, threads that ended included.
///
/// On Linux it is the process's own clock, in nanoseconds; elsewhere, and for a process that has no
/// such clock, what the system tells of it, most often in hundredths of a second.
///
/// Thread ownership: stateless.
@SuppressWarnings("restricted") // a function of the C library is what this class is about
final class ProcessClock {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long NANOS_PER_TICK = 10_000_000L;
    private static final Path MACHINE = Path.of("/proc/stat");
    private static final Path OWN_THREADS = Path.of("/proc/self/task");
    /// Counted from what follows the name.
    private static final int USER_TICKS = 11;

    private static final int SYSTEM_TICKS = 12;
    private static final Pattern SPACES = Pattern.compile("\\s+");
    private static final int IDLE = 4;
    private static final int WAITS_FOR_DISK = 5;
    private static final int FIRST_OF_GUESTS = 9;

    private static final @Nullable MethodHandle CLOCK = clock();

    private ProcessClock() {}

    private static @Nullable MethodHandle clock() {
        if (!System.getProperty("os.name").equals("Linux")) return null;
        var linker = Linker.nativeLinker();
        return linker.defaultLookup()
                .find("clock_gettime")
                .map(function -> linker.downcallHandle(function, FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS)))
                .orElse(null);
    }

    static long nanos(long pid) {
        var told = CLOCK == null ? -1 : told(CLOCK, pid);
        if (told >= 0) return told;
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().totalCpuDuration())
                .orElseThrow(() -> new BenchFailure("the system does not tell the processor time of process " + pid))
                .toNanos();
    }

    private static long told(MethodHandle clock, long pid) {
        // The clock's number of a process: CPUCLOCK_SCHED of all its threads, as clock_getcpuclockid(3) makes it.
        var id = (int) (~pid << 3) | 2;
        try (var arena = Arena.ofConfined()) {
            var time = arena.allocate(JAVA_LONG, 2);
            if ((int) clock.invokeExact(id, time) != 0) return -1;
            return time.getAtIndex(JAVA_LONG, 0) * NANOS_PER_SECOND + time.getAtIndex(JAVA_LONG, 1);
        } catch (Throwable impossible) {
            throw new IllegalStateException("clock_gettime", impossible);
        }
    }

    /// Of each process and of all that it has started, which live now.
    static Map<Long, Long> ofTrees(Iterable<Long> pids) {
        var all = new HashMap<Long, Long>();
        for (var pid : pids) {
            all.put(pid, nanos(pid));
            ProcessHandle.of(pid).stream()
                    .flatMap(ProcessHandle::descendants)
                    .filter(ProcessHandle::isAlive)
                    .forEach(child -> all.put(child.pid(), ofOneThatMayEnd(child.pid())));
        }
        return all;
    }

    private static long ofOneThatMayEnd(long pid) {
        try {
            return nanos(pid);
        } catch (BenchFailure ended) {
            return 0;
        }
    }

    /// Of this process's threads that live and have names with such a part, in hundredths of a second; 0 where the
    /// system does not tell.
    static long ownThreadsNanos(String part) {
        if (!Files.isDirectory(OWN_THREADS)) return 0;
        try (var threads = Files.list(OWN_THREADS)) {
            return threads.mapToLong(thread -> threadNanos(thread, part)).sum();
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot read " + OWN_THREADS, failure);
        }
    }

    /// The name stands in brackets, and may hold some itself.
    private static long threadNanos(Path thread, String part) {
        String line;
        try {
            line = Files.readString(thread.resolve("stat"), StandardCharsets.ISO_8859_1);
        } catch (IOException ended) {
            return 0;
        }
        var behind = line.lastIndexOf(')');
        if (!line.substring(0, behind).contains(part)) return 0;
        var fields = SPACES.split(line.substring(behind + 2), -1);
        return (Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS])) * NANOS_PER_TICK;
    }

    /// Of all that has run on this machine, in hundredths of a second; 0 where the system does not tell.
    static long machineNanos() {
        if (!Files.isReadable(MACHINE)) return 0;
        try (var lines = Files.lines(MACHINE)) {
            var ticks = SPACES.split(lines.findFirst().orElse(""), -1);
            var busy = 0L;
            for (var i = 1; i < Math.min(ticks.length, FIRST_OF_GUESTS); i++)
                if (i != IDLE && i != WAITS_FOR_DISK) busy += Long.parseLong(ticks[i]);
            return busy * NANOS_PER_TICK;
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot read " + MACHINE, failure);
        }
    }
}
