package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("CFG-1")
class DefaultsTest {
    private static final Path EXAMPLE = Path.of("../docs/pipeline.example.yaml");

    @TempDir
    Path directory;

    @Test
    void theExampleIsValidAndWithoutAWarning() throws IOException {
        assertThat(example().warnings()).isEmpty();
    }

    @Test
    void theExampleShowsEveryDefault() throws IOException {
        var least = PipelineText.postgres().with("${PASSWORD}", "${file:" + secret() + "}");
        assertThat(example()).isEqualTo(least.loaded());
    }

    @Test
    void theFileThatWasAgreedOnIsValid() throws IOException {
        var text = Files.readString(Path.of("src/test/resources/full-example.yaml"));
        var config = new PipelineText(text)
                .with("/run/secrets/clickhouse", secret().toString())
                .config();
        assertThat(config.delivery()).isEqualTo(Delivery.EFFECTIVELY_ONCE);
        assertThat(config.sinks().getFirst().batch().maxCuts()).isEqualTo(4);
    }

    @Test
    void theExampleNamesEveryKey() throws IOException {
        var text = Files.readString(EXAMPLE);
        for (var key : keys(PipelineKeys.ROOT, new ArrayList<>())) {
            if (key instanceof Key.Unbuilt) continue;
            assertThat(Pattern.compile("\\b" + key.name() + ":|\\| " + key.name() + "\\b")
                            .matcher(text)
                            .find())
                    .as("%s in the example", key.name())
                    .isTrue();
        }
    }

    @Test
    void everyDeclarationHasANameALineAndAReadableDefault() {
        for (var key : keys(PipelineKeys.ROOT, new ArrayList<>())) {
            assertThat(key.name()).matches("[a-z][a-z_]*");
            assertThat(key.doc()).as(key.name()).isNotBlank().doesNotContain("\n");
            if (key instanceof Key.Setting<?> setting && setting.fallback() != null) {
                assertThat(setting.fallbackValue()).as(key.name()).isNotNull();
            }
            if (key instanceof Key.Setting<?> setting && setting.absence() instanceof Absence.NoValue(var meaning)) {
                assertThat(meaning).as("what happens without " + key.name()).isNotBlank();
            }
        }
    }

    @Test
    void everyNumberHasADefaultInsideItsBounds() {
        var config = PipelineText.postgres().config();
        assertThat(config.checkpoint())
                .isEqualTo(new CheckpointConfig(Duration.ofSeconds(5), 8, 4096, 1024, Duration.ofMinutes(2)));
        assertThat(config.require()).isEqualTo(RequiredLevel.NONE);
        assertThat(config.tokenEpoch()).isEqualTo(1);
        assertThat(config.onConfigChange()).isEqualTo(OnConfigChange.HALT);
        assertThat(config.onExpiredToken()).isEqualTo(OnExpiredToken.HALT);
        assertThat(config.admission()).isEqualTo(new AdmissionConfig(1L << 30, 5_000_000, 60));
        assertThat(config.drain()).isEqualTo(new DrainConfig(Duration.ofSeconds(25), new DrainConfig.Report.Stdout()));
        assertThat(config.admin()).isEqualTo(new AdminConfig.Listening(new HostPort("127.0.0.1", 9090)));
        var sink = config.sinks().getFirst();
        assertThat(sink.batch()).isEqualTo(new BatchConfig(500_000, 64L << 20, Duration.ofSeconds(2), 4));
        assertThat(sink.chunk()).isEqualTo(new ChunkConfig(128 << 10, Duration.ofMillis(20)));
        assertThat(sink.retry())
                .isEqualTo(
                        new RetryConfig(Duration.ofMillis(100), Duration.ofSeconds(10), 2, 0.2, RetryConfig.UNLIMITED));
        assertThat(sink.breaker())
                .isEqualTo(new BreakerConfig(
                        3,
                        3,
                        100,
                        Duration.ofSeconds(20),
                        80,
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(60),
                        1,
                        Duration.ofSeconds(5)));
        assertThat(sink.ambiguous()).isEqualTo(new AmbiguousConfig(Duration.ofMinutes(10), AmbiguousConfig.Then.WAIT));
        assertThat(sink.topics()).isEqualTo(config.source().topics());
    }

    @Test
    void whatIsGivenReplacesTheDefault() {
        var config = PipelineText.postgres()
                .root("""
                        format: { raw: { on_tombstone: row } }
                        route: { key: partition }
                        poison: { action: skip }
                        delivery: effectively_once
                        require: L3
                        token_epoch: 7
                        on_config_change: replan
                        on_expired_token: resend
                        checkpoint: { max_open_segments: 64, metadata_limit: 1024 }
                        drain: { timeout: 0s, report: /tmp/report.json }
                        admin: { listen: none }
                        logging: { format: json, level: trace }
                        """)
                .sink("breaker: { failure_rate: 50%, open_for: 100ms, open_for_max: 1h }\nwrite: { timeout: 1h }")
                .with("user: ingest", "user: ingest\n      raw_column: value\n      on_conflict: ignore")
                .config();
        assertThat(config.format()).isEqualTo(new FormatConfig.Raw(FormatConfig.OnTombstone.ROW));
        assertThat(config.route()).isEqualTo(new RouteConfig(RouteConfig.Key.PARTITION, RouteConfig.Hash.MURMUR2));
        assertThat(config.poison())
                .isEqualTo(new PoisonConfig(
                        PoisonConfig.Action.SKIP,
                        "storefront.dead",
                        PoisonConfig.SingleRow.WAIT,
                        1,
                        Duration.ofMinutes(10),
                        1));
        assertThat(config.delivery()).isEqualTo(Delivery.EFFECTIVELY_ONCE);
        assertThat(config.require()).isEqualTo(RequiredLevel.L3);
        assertThat(config.tokenEpoch()).isEqualTo(7);
        assertThat(config.onConfigChange()).isEqualTo(OnConfigChange.REPLAN);
        assertThat(config.onExpiredToken()).isEqualTo(OnExpiredToken.RESEND);
        assertThat(config.checkpoint())
                .isEqualTo(new CheckpointConfig(Duration.ofSeconds(5), 64, 1024, 1024, Duration.ofMinutes(2)));
        assertThat(config.drain())
                .isEqualTo(new DrainConfig(Duration.ZERO, new DrainConfig.Report.ToFile(Path.of("/tmp/report.json"))));
        assertThat(config.admin()).isEqualTo(new AdminConfig.Off());
        assertThat(config.logging()).isEqualTo(new LoggingConfig(LoggingConfig.Format.JSON, LoggingConfig.Level.TRACE));
        var sink = config.sinks().getFirst();
        assertThat(sink.breaker().window()).isEqualTo(20);
        assertThat(sink.breaker().minCalls()).isEqualTo(5);
        assertThat(sink.breaker().failureRatePercent()).isEqualTo(50);
        assertThat(sink.kind())
                .isEqualTo(new PostgresConfig(
                        new PostgresConfig.TableName("public", "events"),
                        "ingest",
                        Secret.of("hunter2"),
                        PostgresConfig.OnConflict.IGNORE,
                        PostgresConfig.UnknownFields.REFUSE,
                        "value",
                        new PostgresConfig.Tls.VerifyFull(Path.of("/etc/ssl/ca.pem"))));
    }

    @Test
    void whoMayActAndByWhichNamesItIsAskedIsRead() {
        var admin =
                "admin: { listen: '0.0.0.0:1', token_file: /run/token, hosts: [millrace, m.example.net], readers: token }";
        assertThat(PipelineText.postgres().root(admin).config().admin())
                .isEqualTo(new AdminConfig.Listening(
                        new HostPort("0.0.0.0", 1),
                        Path.of("/run/token"),
                        List.of("millrace", "m.example.net"),
                        AdminConfig.Readers.TOKEN));
    }

    @Test
    void aBlackholeNeedsNoShards() {
        var text = PipelineText.postgres().text();
        var head = text.substring(0, text.indexOf("    postgres:"));
        assertThat(new PipelineText(head + "    blackhole:\n").onlySink().shards())
                .containsExactly(new ShardConfig("s0", List.of(new Endpoint.Blackhole("blackhole:s0"))));
        assertThat(new PipelineText(head + "    blackhole: {}\n    shards: { a: [blackhole:a, blackhole:b], b: [x] }\n")
                        .onlySink()
                        .shards())
                .extracting(ShardConfig::name)
                .containsExactly("a", "b");
    }

    @Test
    void aTopicPatternIsRead() {
        var config = PipelineText.postgres()
                .with("[orders, payments]", "{ pattern: \"orders\\\\..*\" }")
                .config();
        assertThat(config.source().topics()).isEqualTo(new Topics.Matching("orders\\..*"));
        assertThat(config.sinks().getFirst().topics()).isEqualTo(config.source().topics());
    }

    @Test
    void shardsKeepTheFilesOrder() {
        var shards = PipelineText.postgres()
                .with("s0:", "zulu:")
                .with("s1:", "alpha:")
                .onlySink()
                .shards();
        assertThat(shards).extracting(ShardConfig::name).containsExactly("zulu", "alpha");
    }

    private ReadResult.Loaded example() throws IOException {
        var text = Files.readString(EXAMPLE);
        return new PipelineText(text)
                .with("/run/secrets/postgres", secret().toString())
                .loaded();
    }

    private Path secret() throws IOException {
        return Files.writeString(directory.resolve("password"), "hunter2\n");
    }

    private static List<Key> keys(Key.Section section, List<Key> found) {
        for (var key : section.keys()) {
            found.add(key);
            switch (key) {
                case Key.Section below -> keys(below, found);
                case Key.NamedSections below -> keys(below.each(), found);
                case Key.Setting<?> _, Key.Unbuilt _ -> {}
            }
        }
        return found;
    }
}
