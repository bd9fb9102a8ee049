package dev.millrace.httpclient;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.security.cert.Certificate;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/// A connection to a server with nothing sent over it: TCP and, where the address is `https`, TLS.
public final class Handshake {
    private static final int HTTPS = 443;
    private static final int HTTP = 80;

    private Handshake() {}

    /// What the server shows of itself, null in the clear; the connection is closed again. With `named` its
    /// certificate has to be of the address's host, as for a request. Takes `millis` at most, however slow the
    /// server is; `onCancel` is given how to end it before.
    public static @Nullable Certificate with(
            URI address, SSLContext context, boolean named, int millis, Consumer<Runnable> onCancel)
            throws IOException {
        var encrypted = "https".equals(address.getScheme());
        var port = address.getPort() >= 0 ? address.getPort() : encrypted ? HTTPS : HTTP;
        try (var plain = new Socket()) {
            onCancel.accept(() -> close(plain));
            var over = CompletableFuture.runAsync(
                    () -> close(plain), CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS));
            try {
                plain.connect(new InetSocketAddress(address.getHost(), port), millis);
                return encrypted ? shown(plain, address.getHost(), context, named) : null;
            } finally {
                over.cancel(false);
            }
        }
    }

    private static Certificate shown(Socket plain, String host, SSLContext context, boolean named) throws IOException {
        try (var secure = (SSLSocket) context.getSocketFactory().createSocket(plain, host, plain.getPort(), true)) {
            if (named) {
                var parameters = secure.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                secure.setSSLParameters(parameters);
            }
            secure.startHandshake();
            return secure.getSession().getPeerCertificates()[0];
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
