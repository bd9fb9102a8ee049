package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.Configuration;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.ReadResult;
import dev.millrace.sinkpool.Finding;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A secret that goes to another machine in clear because the file allows it is told all the same.
@Tag("CFG-5")
final class PlaintextToldTest {
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
            metrics:
              otlp: http://collector.invalid:4318/v1/metrics
              otlp_interval: 1h
              otlp_headers: { X-Token: "${TOKEN}" }
              allow_plaintext: true
            admin:
              listen: none
            """;

    private static PipelineConfig config() {
        return switch (Configuration.read("pipeline.yaml", FILE, _ -> "hunter2")) {
            case ReadResult.Loaded(var config, var _) -> config;
            case ReadResult.Refused(var problems) -> throw new AssertionError(problems);
        };
    }

    @Test
    @DisplayName("CFG-5: each start says what goes where in clear, and how it would not")
    void eachStartSaysSo() throws Exception {
        for (var run = 0; run < 2; run++)
            try (var ear = new LogEar()) {
                var pipeline = Pipeline.of(config(), "0");
                pipeline.stop("SIGTERM");
                pipeline.start();
                pipeline.close();
                assertThat(ear.lines("plaintext"))
                        .containsExactly("event=plaintext section=metrics the header X-Token goes to"
                                + " collector.invalid:4318 in clear; use https");
            }
    }

    @Test
    @Timeout(30)
    @DisplayName("CFG-5: the doctor takes it for a hazard")
    void theDoctorTakesItForAHazard() throws Exception {
        assertThat(new Doctor(config(), InstantSource.system())
                        .look(Duration.ofMillis(100))
                        .findings())
                .contains(Finding.hazard(
                        "metrics", "the header X-Token goes to collector.invalid:4318 in clear", "use https"));
    }
}
