package dev.millrace.postgres;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/// The TCP connection below one session, so that it can be cut at once, whatever the driver or TLS waits
/// for: connect, handshake, a full send buffer, an answer.
///
/// Invariant: after `cut` no byte leaves by it, also when the driver makes its socket later.
///
/// Thread ownership: shared; guarded by itself.
final class Wire {
    /// The wire of the login that runs on this thread: the driver makes its socket factory by name.
    static final ScopedValue<Wire> OF_LOGIN = ScopedValue.newInstance();

    private @Nullable Socket socket;
    private boolean cut;

    /// Throws if it was cut already.
    synchronized void carriedBy(Socket made) throws SocketException {
        if (cut) {
            quietly(made);
            throw new SocketException("cut before it was connected");
        }
        socket = made;
    }

    synchronized void cut() {
        cut = true;
        if (socket != null) quietly(socket);
    }

    private static void quietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // It is gone either way.
        }
    }
}
