package dev.millrace.bench;

import dev.millrace.lab.clickhouse.LabClickHouse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The main class of an [EngineProcess]: ClickHouse's engine and the front before it, until its parent ends it.
///
/// Its one argument is a file, into which it writes the front's address and the number of the engine's process.
final class EngineMain {
    static final String READY = "millrace bench engine ready";

    private EngineMain() {}

    @SuppressWarnings("SystemOut") // the line its parent waits for
    public static void main(String[] arguments) throws IOException {
        var store = LabClickHouse.shared(1, 1);
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(store::close));
        Files.writeString(
                Path.of(arguments[0]),
                store.front(0, 0).url() + "\n" + store.engine(0).pid() + "\n");
        System.out.println(READY);
        System.out.flush();
        while (System.in.read() >= 0) {
            // Nothing is ever said there; only its end counts.
        }
        System.exit(0);
    }
}
