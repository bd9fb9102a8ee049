package dev.millrace.example;

import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.Sink;
import dev.millrace.testkit.SinkContract;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

// [test]
/// The file sink does what the pool takes for granted of any sink.
class FileSinkTest extends SinkContract {
    @TempDir
    private Path folder = Path.of("");

    private final FileSink sink = new FileSink();

    @Override
    protected Sink sink() {
        return sink;
    }

    @Override
    protected ShardId shard() {
        return new ShardId("files", "s0");
    }

    @Override
    protected URI endpoint() {
        return folder.resolve("s0.ndjson").toUri();
    }

    @Override
    protected URI gone() {
        return folder.resolve("no-such-folder/s0.ndjson").toUri();
    }

    @Override
    protected List<String> stored() throws IOException {
        var file = Path.of(endpoint());
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }
}
// [/test]
