package dev.millrace.lab;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/// A port of 127.0.0.1 on which nothing listens, below the range the system gives to outgoing connections.
///
/// Below that range, because a part that stops and starts again must find its port free: a client that keeps
/// knocking at a closed port of the outgoing range can be given that very port for its own end.
public final class FreePort {
    private static final int LOWEST = 12_000;
    private static final int USUAL_OUTGOING = 32_768;
    private static final int TRIES = 200;

    private FreePort() {}

    /// Takes one at random. Nothing holds it until the caller listens on it, so another process may still be
    /// faster.
    public static int take() {
        int above = firstOutgoing();
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, above);
            if (free(port)) return port;
        }
        throw new LabException("no free port between " + LOWEST + " and " + above + " in " + TRIES + " tries");
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
            int first = Integer.parseInt(range.strip().split("\\s+", 2)[0]);
            return first > LOWEST + TRIES ? first : USUAL_OUTGOING;
        } catch (IOException | NumberFormatException notLinux) {
            return USUAL_OUTGOING;
        }
    }
}
