package dev.millrace.bench;

import dev.millrace.lab.clickhouse.LabClickHouse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;

/// The main class of an [EngineProcess]: ClickHouse's engine and the fronts before it, until its parent ends it.
///
/// Its arguments are a file, into which it writes the fronts' addresses and the number of the engine's process, and
/// how many fronts.
final class EngineMain {
    static final String READY = "millrace bench engine ready";

    private EngineMain() {}

    @SuppressWarnings("SystemOut") // the line its parent waits for
    public static void main(String[] arguments) throws IOException {
        var store = LabClickHouse.shared(1, Integer.parseInt(arguments[1]));
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(store::close));
        var told = new ArrayList<String>();
        for (var front : store.fronts()) told.add(front.url().toString());
        told.add(Long.toString(store.engine(0).pid()));
        Files.write(Path.of(arguments[0]), told);
        System.out.println(READY);
        System.out.flush();
        while (System.in.read() >= 0) {
            // Nothing is ever said there; only its end counts.
        }
        System.exit(0);
    }
}
