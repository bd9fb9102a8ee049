package dev.millrace.lab.clickhouse;

import dev.millrace.lab.Directories;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The main class of a [ClickHouseEngine]'s process: one engine that runs statements from a socket until it is
/// told to end or its parent is gone.
///
/// Says [#READY] on its standard output when it takes statements. When its standard input ends without a word, its
/// parent has died without closing it: then it deletes its directory and ends.
final class EngineMain {
    static final String READY = "millrace lab engine ready";

    /// ClickHouse's parser is recursive: it wants the stack that its own threads have.
    private static final long STACK_BYTES = 8 << 20;

    private EngineMain() {}

    static Path data(Path directory) {
        return directory.resolve("data");
    }

    static Path socket(Path directory) {
        return directory.resolve("s");
    }

    /// Takes the library, the engine's directory, and arguments for every connection.
    @SuppressWarnings("SystemOut") // the line its parent waits for
    public static void main(String[] args) throws IOException {
        var chdb = Chdb.load(Path.of(args[0]));
        var directory = Path.of(args[1]);
        var arguments = List.of(args).subList(2, args.length);
        // Held for life: when the last connection closes, the engine shuts down.
        var _ = chdb.connect(arguments);
        var address = socket(directory);
        Files.deleteIfExists(address);
        var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(address));
        Thread.ofPlatform().daemon().name("engine-accept").start(() -> accept(server, chdb, arguments));
        System.out.println(READY);
        System.out.flush();
        boolean told = false;
        while (System.in.read() >= 0) told = true;
        if (!told) deleteAndEnd(directory);
        System.exit(0);
    }

    private static void deleteAndEnd(Path directory) {
        try {
            Directories.delete(directory);
        } finally {
            Runtime.getRuntime().halt(0);
        }
    }

    private static void accept(ServerSocketChannel server, Chdb chdb, List<String> arguments) {
        while (true) {
            try {
                SocketChannel client = server.accept();
                Thread.ofPlatform()
                        .daemon()
                        .stackSize(STACK_BYTES)
                        .name("engine-statement")
                        .start(() -> EngineSession.serve(client, chdb, arguments));
            } catch (IOException failure) {
                System.err.println("the engine's socket broke: " + failure);
                Runtime.getRuntime().halt(1);
            }
        }
    }
}
