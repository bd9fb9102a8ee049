package dev.millrace.lab;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/// A port of 127.0.0.1 on which nothing listens, below the range the system gives to outgoing connections.
///
/// Below that range, because a part that stops and starts again must find its port free: a client that keeps
/// knocking at a closed port of the outgoing range can be given that very port for its own end. For the same reason
/// each process takes from ports of its own, one after the other, so that none comes again soon.
///
/// Thread ownership: any.
public final class FreePort {
    private static final int LOWEST = 12_000;
    private static final int USUAL_OUTGOING = 32_768;
    private static final int OF_A_PROCESS = 1_024;

    private static final Object LOCK = new Object();
    private static int first = -1;
    private static int count;
    private static int next;
    /// Open for as long as the process lives, and the lock with it.
    private static @Nullable FileChannel mark;

    private FreePort() {}

    /// Takes the next that is free. Nothing holds it until the caller listens on it, so somebody else than the lab may
    /// still be faster.
    public static int take() {
        synchronized (LOCK) {
            if (first < 0) settle();
            for (int i = 0; i < count; i++) {
                int port = first + next++ % count;
                if (free(port)) return port;
            }
            throw new LabException("no free port from " + first + " to " + (first + count - 1));
        }
    }

    /// Takes ports for this process: a block that no other process has marked, or all where each is.
    private static void settle() {
        int above = firstOutgoing();
        int blocks = (above - LOWEST) / OF_A_PROCESS;
        int from = ThreadLocalRandom.current().nextInt(blocks);
        first = LOWEST;
        count = above - LOWEST;
        for (int i = 0; i < blocks; i++) {
            int block = (from + i) % blocks;
            if (!marked(block)) continue;
            first = LOWEST + block * OF_A_PROCESS;
            count = OF_A_PROCESS;
            break;
        }
        next = ThreadLocalRandom.current().nextInt(count);
    }

    /// The mark is a lock that ends with the process. Whose files cannot be locked takes ports unmarked.
    private static boolean marked(int block) {
        Path marks = Path.of(System.getProperty("java.io.tmpdir"), "millrace-ports-" + System.getProperty("user.name"));
        try {
            Files.createDirectories(marks);
            var file = FileChannel.open(
                    marks.resolve(Integer.toString(block)), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (file.tryLock() == null) {
                file.close();
                return false;
            }
            mark = file;
            return true;
        } catch (IOException unable) {
            return true;
        }
    }

    private static boolean free(int port) {
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }

    private static int firstOutgoing() {
        try {
            String range = Files.readString(Path.of("/proc/sys/net/ipv4/ip_local_port_range"));
            int outgoing = Integer.parseInt(range.strip().split("\\s+", 2)[0]);
            return outgoing >= LOWEST + OF_A_PROCESS ? outgoing : USUAL_OUTGOING;
        } catch (IOException | NumberFormatException notLinux) {
            return USUAL_OUTGOING;
        }
    }
}
