package dev.millrace.lab.clickhouse;

import java.nio.file.Path;
import java.util.List;

/// What an engine is told on every connection, so that it stays small on a small machine.
final class EngineArguments {
    private EngineArguments() {}

    static List<String> of(Path data, int memoryMegabytes) {
        return List.of(
                "--path=" + data,
                "--max_server_memory_usage=" + ((long) memoryMegabytes << 20),
                "--background_pool_size=2",
                "--max_threads=2",
                "--max_insert_threads=1");
    }
}
