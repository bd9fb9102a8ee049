package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.Configuration;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.ReadResult;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReloaderTest {
    private static final String FILE = """
            pipeline: { name: shop }
            source: { kafka: { bootstrap_servers: "b:9092", topics: [t], group_id: g, on_no_offset: earliest } }
            format: { raw: {} }
            sinks: { out: { blackhole: {}, shards: { s0: ["blackhole:s0"] } } }
            """;

    @TempDir
    private Path folder;

    private static PipelineConfig config() {
        return switch (Configuration.read("f", FILE, _ -> null)) {
            case ReadResult.Loaded(var config, var _) -> config;
            case ReadResult.Refused(var problems) -> throw new AssertionError(problems.toString());
        };
    }

    @Test
    @DisplayName("a fault that nobody expects refuses the file, is told, and the next reload is looked at all the same")
    void aFaultDoesNotEndTheReloads() throws Exception {
        Path gone;
        try (var files = FileSystems.newFileSystem(folder.resolve("a.zip"), Map.of("create", "true"))) {
            gone = files.getPath("/pipeline.yaml");
        }
        var book = new FileBook(gone, "first", InstantSource.system());
        var replaced = new AtomicInteger();
        var reloader = new Reloader(gone, config(), book, _ -> replaced.incrementAndGet());
        reloader.start(false);
        for (var round = 1; round <= 2; round++) {
            reloader.ask("a test");
            await(book, round);
        }
        assertThat(replaced).hasValue(0);
        assertThat(String.valueOf(book.now().refused())).contains("ClosedFileSystemException");
    }

    @Test
    @DisplayName("--watch: a content that changed is asked for once, however long the reload before it takes")
    void aChangedContentIsAskedForOnce() throws Exception {
        var file = Files.writeString(folder.resolve("pipeline.yaml"), FILE);
        var book = new FileBook(file, "first", InstantSource.system());
        // Not started: what is asked waits, as it does during a reload.
        var reloader = new Reloader(file, config(), book, _ -> {});
        var seen = "";
        for (var look = 0; look < 5; look++) seen = reloader.look(seen);
        assertThat(reloader.waiting()).isOne();
    }

    private static void await(FileBook book, int refused) throws InterruptedException {
        var deadline = System.nanoTime() + 20_000_000_000L;
        while (book.now().reloads().refused() < refused && System.nanoTime() < deadline) Thread.sleep(5);
        assertThat(book.now().reloads().refused()).isEqualTo(refused);
    }
}
