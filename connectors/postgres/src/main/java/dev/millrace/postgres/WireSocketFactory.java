package dev.millrace.postgres;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/// Plain sockets that are known to the [Wire] of their login. Public only because the driver makes it by its
/// name.
///
/// Thread ownership: the thread that logs in.
public final class WireSocketFactory extends SocketFactory {
    @Override
    public Socket createSocket() throws IOException {
        var socket = new Socket();
        if (Wire.OF_LOGIN.isBound()) Wire.OF_LOGIN.get().carriedBy(socket);
        return socket;
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw connectedElsewhere();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw connectedElsewhere();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw connectedElsewhere();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localAddress, int localPort) {
        throw connectedElsewhere();
    }

    private static UnsupportedOperationException connectedElsewhere() {
        return new UnsupportedOperationException("the driver connects its sockets itself");
    }
}
