package dev.millrace.lab.clickhouse;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/// Asks the engine behind a socket, one connection for each statement.
///
/// Thread ownership: any thread.
final class EngineLink {
    private final UnixDomainSocketAddress address;

    EngineLink(Path socket) {
        this.address = UnixDomainSocketAddress.of(socket);
    }

    /// Rows that could not be read from the client to their end. The insert is cancelled: it has stored no row,
    /// unless it was of several blocks.
    static final class RowsBroken extends IOException {
        private static final long serialVersionUID = 1;

        private final IOException reason;

        RowsBroken(IOException reason) {
            super(reason);
            this.reason = reason;
        }

        IOException reason() {
            return reason;
        }
    }

    /// Returns when the engine has answered or is gone.
    ///
    /// @param rows what to insert, read to its end if the request says that rows follow
    EngineResult ask(EngineRequest request, InputStream rows) throws RowsBroken {
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(address);
            var out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel)));
            var in = new DataInputStream(new BufferedInputStream(Channels.newInputStream(channel)));
            request.write(out);
            if (request.rows()) send(rows, out);
            out.flush();
            return result(in);
        } catch (RowsBroken failure) {
            throw failure;
        } catch (IOException gone) {
            return new EngineResult.Gone();
        }
    }

    private static void send(InputStream rows, DataOutputStream out) throws IOException {
        byte[] block = new byte[EngineSession.BLOCK_BYTES];
        while (true) {
            int length;
            try {
                length = rows.readNBytes(block, 0, block.length);
            } catch (IOException failure) {
                throw new RowsBroken(failure);
            }
            out.writeInt(length);
            if (length == 0) return;
            out.write(block, 0, length);
        }
    }

    private static EngineResult result(DataInputStream in) throws IOException {
        if (in.readByte() == EngineSession.FAILED) return new EngineResult.Failed(EngineRequest.text(in));
        var counts = new EngineResult.Counts(in.readLong(), in.readLong(), in.readLong(), in.readLong(), in.readLong());
        byte[] output = new byte[in.readInt()];
        in.readFully(output);
        return new EngineResult.Done(counts, ByteBuffer.wrap(output));
    }
}
