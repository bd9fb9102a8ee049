package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.clickhouse.ClickHouseSettings;
import dev.millrace.clickhouse.Coordinates;
import dev.millrace.clickhouse.VerdictOverride;
import dev.millrace.clickhouse.VerdictOverride.Blames;
import dev.millrace.config.ClickHouseConfig;
import dev.millrace.config.Configuration;
import dev.millrace.config.HttpConfig;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.ReadResult;
import dev.millrace.config.ServerSettings;
import dev.millrace.http.HttpSettings;
import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.Who;
import dev.millrace.sinkpool.AmbiguousSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class WiringTest {
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
              warehouse:
                postgres: { table: public.orders, user: ingest, password: none-needed }
                shards: { a: ["postgres://127.0.0.1:9/shop"] }
            """;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @Tag("CFG-8")
    @ValueSource(
            strings = {
                "write: { timeout: 500ms }",
                "write: { timeout: 1h }",
                "retry: { initial: 1ms, max: 1ms, multiplier: 1, jitter: 1 }",
                "retry: { initial: 1m, max: 10m, multiplier: 10, jitter: 0, max_attempts: 1 }",
                "batch: { max_rows: 1, max_bytes: 128KiB, linger: 1ms }\n    chunk: { linger: 1ms }",
                "inflight: { max_per_shard: 64 }",
                "breaker: { failures: 1, open_for: 100ms, open_for_max: 100ms, half_open_probes: 100 }",
                "breaker: { failure_rate: 100%, window: 10000, min_calls: 10000, open_for: 1h, open_for_max: 1h }",
                "write: { timeout: 30s }\npoison: { max_rate: 0%, evidence: 1s, attempts: 100 }",
                "write: { timeout: 30s }\npoison: { max_rate: 100%, single_row: dead_letter }",
                "breaker: { slow_call: { longer_than: 1ms, rate: 1% }, probe_timeout: 1h }"
            })
    void whatTheFileMaySayAPipelineIsMadeOf(String lines) throws IOException {
        var file = Files.writeString(folder.resolve("pipeline.yaml"), FILE + "    " + lines + "\n");
        var read = Configuration.read(file, _ -> null);
        assertThat(read).isInstanceOf(ReadResult.Loaded.class);
        if (read instanceof ReadResult.Loaded(var config, var _))
            Pipeline.of(config, "0").close();
    }

    @Test
    @Tag("CH-2")
    void everySettingOfAServerThatTheFileMayNameIsTakenByTheSink() throws IOException {
        var settings = ServerSettings.allowed().stream()
                .map(name -> name + ": 1")
                .collect(Collectors.joining(", ", "{ ", " }"));
        var text = FILE.replace("postgres: { table: public.orders,", "clickhouse: { database: shop, table: orders,")
                .replace("none-needed }", "none-needed, format: json_each_row, settings: " + settings + " }")
                .replace("postgres://127.0.0.1:9/shop", "http://127.0.0.1:9");
        var file = Files.writeString(folder.resolve("pipeline.yaml"), text);
        var read = Configuration.read(file, _ -> null);
        assertThat(read).isInstanceOf(ReadResult.Loaded.class);
        if (read instanceof ReadResult.Loaded(var config, var _))
            Pipeline.of(config, "0").close();
    }

    @Test
    @Tag("CH-4")
    @Tag("CH-7")
    void theSinkGetsTheVerdictsAndTheTokenOfTheFile() throws IOException {
        var token = Files.writeString(folder.resolve("token"), "first\n");
        var text = FILE.replace(
                        "postgres: { table: public.orders, user: ingest, password: none-needed }",
                        "clickhouse: { database: shop, table: orders, token: \"${file:" + token + "}\", verdicts: {"
                                + " 1: rows, 2: size, 3: replica, 4: overload, 5: wait, \"6 a b\": settings } }")
                .replace("postgres://127.0.0.1:9/shop", "http://127.0.0.1:9");
        var read = Configuration.read(Files.writeString(folder.resolve("pipeline.yaml"), text), _ -> null);
        if (!(read instanceof ReadResult.Loaded(var config, var _))) throw new AssertionError(read);
        var sink = config.sinks().getFirst();
        if (!(sink.kind() instanceof ClickHouseConfig clickhouse)) throw new AssertionError(sink);

        var settings = Wiring.clickhouse(sink, clickhouse);

        assertThat(settings.verdicts())
                .containsExactly(
                        new VerdictOverride(1, null, Blames.ROWS),
                        new VerdictOverride(2, null, Blames.SIZE),
                        new VerdictOverride(3, null, Blames.REPLICA),
                        new VerdictOverride(4, null, Blames.OVERLOAD),
                        new VerdictOverride(5, null, Blames.WAIT),
                        new VerdictOverride(6, "a b", Blames.SETTINGS));
        if (!(settings.login().who() instanceof Who.Bearer(var secret))) throw new AssertionError(settings.login());
        assertThat(secret.reveal()).isEqualTo("first");
        Files.writeString(token, "second");
        assertThat(secret.reveal()).isEqualTo("second");
    }

    @Test
    @Tag("EO-11")
    void theHttpSinkGetsAllOfTheFile() throws IOException {
        var key = Files.writeString(folder.resolve("key"), "first\n");
        var text = FILE.replace(
                        "postgres: { table: public.orders, user: ingest, password: none-needed }",
                        "http: { method: PUT, compression: zstd, token_header: X-Token, headers: { X-Key: \"${file:"
                                + key
                                + "}\" }, user: me, password: \"${file:" + key
                                + "}\", remembers: 2h, remembered_by: replica, ping_path: /up }")
                .replace("postgres://127.0.0.1:9/shop", "https://127.0.0.1:9/in/rows");
        var read = Configuration.read(Files.writeString(folder.resolve("pipeline.yaml"), text), _ -> null);
        if (!(read instanceof ReadResult.Loaded(var config, var _))) throw new AssertionError(read);
        var sink = config.sinks().getFirst();
        if (!(sink.kind() instanceof HttpConfig http)) throw new AssertionError(sink);

        var settings = Wiring.http(config, sink, http);

        assertThat(settings.pipeline()).isEqualTo(config.name());
        assertThat(settings.request().method()).isEqualTo(HttpSettings.Method.PUT);
        assertThat(settings.request().contentType()).isEqualTo("application/x-ndjson");
        assertThat(settings.request().compression()).isEqualTo(Compression.ZSTD);
        assertThat(settings.request().tokenHeader()).isEqualTo("X-Token");
        assertThat(settings.memory()).isEqualTo(new HttpSettings.Memory(Duration.ofHours(2), false));
        assertThat(settings.pingPath()).isEqualTo("/up");
        assertThat(Wiring.endpoints(sink.shards().getFirst()))
                .containsExactly(URI.create("https://127.0.0.1:9/in/rows"));
        if (!(settings.who() instanceof Who.User(var name, var password))) throw new AssertionError(settings.who());
        assertThat(name).isEqualTo("me");
        var header = settings.request().headers().get("X-Key");
        Files.writeString(key, "second");
        assertThat(password.reveal()).isEqualTo("second");
        assertThat(header == null ? "none" : header.reveal()).isEqualTo("second");
        assertThat(settings.toString() + config).doesNotContain("first", "second");
    }

    @Test
    @Tag("WRT-11")
    @Tag("CH-9")
    void theSinkGetsFormatCoordinatesAndWhatIsAmbiguousOfTheFile() throws IOException {
        var text = FILE.replace(
                        "postgres: { table: public.orders, user: ingest, password: none-needed }",
                        "clickhouse: { database: shop, table: orders, user: ingest, coordinates: { topic: t, partition: p,"
                                + " offset: o, timestamp: s, key: k, headers: h } }\n"
                                + "    ambiguous: { pin_for: 3s, then: resend }")
                .replace("postgres://127.0.0.1:9/shop", "http://127.0.0.1:9");
        var read = Configuration.read(Files.writeString(folder.resolve("pipeline.yaml"), text), _ -> null);
        if (!(read instanceof ReadResult.Loaded(var config, var _))) throw new AssertionError(read);
        var sink = config.sinks().getFirst();
        if (!(sink.kind() instanceof ClickHouseConfig clickhouse)) throw new AssertionError(sink);

        var rows = Wiring.clickhouse(sink, clickhouse).rows();
        assertThat(rows.format()).isEqualTo(ClickHouseSettings.Format.ROW_BINARY);
        assertThat(rows.coordinates().columns())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        Coordinates.Part.TOPIC, "t",
                        Coordinates.Part.PARTITION, "p",
                        Coordinates.Part.OFFSET, "o",
                        Coordinates.Part.TIMESTAMP, "s",
                        Coordinates.Part.KEY, "k",
                        Coordinates.Part.HEADERS, "h"));
        var shard = Wiring.shard(config, sink, sink.shards().getFirst(), false);
        assertThat(shard.ambiguous()).isEqualTo(new AmbiguousSettings(3_000_000_000L, AmbiguousSettings.Then.RESEND));
    }

    @ParameterizedTest
    @Tag("EO-5")
    @CsvSource({"{}, 20", "{ request.timeout.ms: 2000 }, 4", "{ request.timeout.ms: 60000 }, 120"})
    void aCommitThatTimedOutIsFearedForTwiceAsLongAsTheClientMayHold(String properties, long seconds)
            throws IOException {
        var text = FILE.replace("group_id: shop", "group_id: shop\n    properties: " + properties)
                + "delivery: effectively_once\n";
        var read = Configuration.read(Files.writeString(folder.resolve("pipeline.yaml"), text), _ -> null);
        if (!(read instanceof ReadResult.Loaded(var config, var _))) throw new AssertionError(read);
        var planning = Objects.requireNonNull(Wiring.planning(config, 1, _ -> Map.of()));
        assertThat(planning.quarantineNanos())
                .isEqualTo(Duration.ofSeconds(seconds).toNanos());
    }

    private PipelineConfig config(String text) throws IOException {
        var read = Configuration.read(Files.writeString(folder.resolve("pipeline.yaml"), text), _ -> null);
        if (read instanceof ReadResult.Loaded(var config, var _)) return config;
        throw new AssertionError(read);
    }

    @Test
    @DisplayName("EO-1 EO-10 Under effectively_once shards are fed with segments; at least once nothing is planned")
    void whatIsPlanned() throws IOException {
        var planned = FILE + "delivery: effectively_once\n";
        var once = config(planned + "on_expired_token: resend\n");
        var sink = once.sinks().getFirst();
        var shard = Wiring.shard(once, sink, sink.shards().getFirst(), true);
        assertThat(shard.planned()).isTrue();
        assertThat(shard.resendsExpired()).isTrue();
        var halting = config(planned);
        assertThat(Wiring.shard(halting, sink, sink.shards().getFirst(), true).resendsExpired())
                .isFalse();
        var often = config(FILE + "delivery: at_least_once\n");
        assertThat(Wiring.shard(often, sink, sink.shards().getFirst(), true).planned())
                .isFalse();
        assertThat(Wiring.planning(often, 7, _ -> Map.of())).isNull();
        assertThat(Wiring.source(config(planned + "on_config_change: replan\n")).replans())
                .isTrue();
        assertThat(Wiring.source(halting).replans()).isFalse();
    }
}
