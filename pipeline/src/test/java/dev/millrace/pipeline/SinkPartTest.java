package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.Configuration;
import dev.millrace.config.ReadResult;
import dev.millrace.kafka.PassThroughEncoder;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.RowEncoder;
import org.junit.jupiter.api.Test;

final class SinkPartTest {
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
              raw: {}
            sinks:
              hole:
                blackhole: {}
                shards: { a: ["blackhole:a"], b: ["blackhole:b"] }
            """;

    @Test
    void rowsGoThroughWhatIsLaidAboutASinkAndTheSinkIsStillTheOneThatIsAsked() {
        if (!(Configuration.read("pipeline.yaml", FILE, _ -> null) instanceof ReadResult.Loaded(var config, var _)))
            throw new AssertionError("the file is refused");
        RowEncoder encoder = PassThroughEncoder.singleLine();
        var about = new BlackholeSink(() -> encoder);

        var part = SinkPart.open(config, config.sinks().getFirst(), NanoClock.SYSTEM)
                .within(_ -> about);

        assertThat(part.sink()).isInstanceOf(BlackholeSink.class).isNotSameAs(about);
        assertThat(part.specs(config))
                .hasSize(2)
                .allSatisfy(spec -> assertThat(spec.sink()).isSameAs(about));
        assertThat(part.feed(config).encoder().get()).isSameAs(encoder);
    }
}
