package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.Configuration;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.ReadResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PipelineStopTest {
    private static final String FILE = """
            pipeline:
              name: shop
            source:
              kafka:
                bootstrap_servers: 127.0.0.1:9
                topics: [orders]
                group_id: shop
                on_no_offset: earliest
            format:
              json: {}
            sinks:
              nowhere:
                blackhole: {}
                shards:
                  a: [blackhole:a]
            drain:
              timeout: 0s
            admin:
              listen: none
            """;

    @TempDir
    private Path folder;

    private PipelineConfig config() throws IOException {
        var file = Files.writeString(folder.resolve("pipeline.yaml"), FILE);
        return switch (Configuration.read(file, _ -> null)) {
            case ReadResult.Loaded(var config, var _) -> config;
            case ReadResult.Refused(var problems) -> throw new AssertionError(problems);
        };
    }

    @Test
    @Tag("DRN-8")
    void aFaultWhileItDrainsStandsAboveWhatWasAskedFor() throws IOException {
        var pipeline = Pipeline.of(config(), "0");
        pipeline.stop("SIGTERM");
        pipeline.fault("a worker died", ExitCode.FATAL);
        var report = pipeline.awaitEnd();
        pipeline.close();
        assertThat(report.exitCode()).isEqualTo(ExitCode.FATAL.code());
        assertThat(report.reason()).isEqualTo("SIGTERM");
    }
}
