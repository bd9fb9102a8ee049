package dev.millrace.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.sinkpool.RecordView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What only the file sink does.
class FileCrashTest {
    @TempDir
    private Path folder = Path.of("");

    private List<String> after(String found, String... values) throws IOException, InterruptedException {
        var file = folder.resolve("rows.ndjson");
        Files.writeString(file, found);
        var view = new ArrayList<RecordView>();
        for (var i = 0; i < values.length; i++) view.add(new Order(i, values[i]));
        assertThat(EmbeddedPool.store(file, view, Duration.ofSeconds(30))).isEqualTo(values.length);
        return Files.readAllLines(file);
    }

    @Test
    void halfARowThatACrashLeftIsCutOff() throws Exception {
        assertThat(after("{\"id\":1}\n{\"id\":", "{\"id\":2}")).containsExactly("{\"id\":1}", "{\"id\":2}");
        assertThat(after("{\"id\":", "{\"id\":2}")).containsExactly("{\"id\":2}");
        assertThat(after("{\"id\":1}\n" + "x".repeat(200_000), "{\"id\":2}"))
                .containsExactly("{\"id\":1}", "{\"id\":2}");
        assertThat(after("{\"id\":1}\n", "{\"id\":2}")).containsExactly("{\"id\":1}", "{\"id\":2}");
    }
}
