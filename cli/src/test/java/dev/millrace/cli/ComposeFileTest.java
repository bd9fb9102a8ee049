package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.AdminConfig;
import dev.millrace.config.Configuration;
import dev.millrace.config.DrainConfig;
import dev.millrace.config.Endpoint;
import dev.millrace.config.HostPort;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.ReadResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/// What must fit together between docker-compose.yml, the files it mounts and the pipeline it runs. Whether the
/// containers run is for a Docker engine to say.
final class ComposeFileTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern EXACT_VERSION = Pattern.compile("[a-z0-9./-]+:v?\\d+\\.\\d+(\\.\\d+)*([_-][\\w.-]+)?");
    private static final Pattern LOOPBACK = Pattern.compile("127\\.0\\.0\\.1:\\d+:\\d+");
    private static final Pattern FROM = Pattern.compile("(?m)^FROM (\\S+)");

    private final Map<?, ?> compose = (Map<?, ?>) yaml("docker-compose.yml");
    private final PipelineConfig pipeline = pipeline();

    private static Object yaml(String file) {
        return merged(new Load(LoadSettings.builder().setLabel(file).build()).loadFromString(text(file)));
    }

    /// Lays a mapping over those it names under `<<`, as Compose reads it.
    private static Object merged(Object node) {
        if (node instanceof List<?> list)
            return list.stream().map(ComposeFileTest::merged).toList();
        if (!(node instanceof Map<?, ?> map)) return node;
        var all = new LinkedHashMap<Object, Object>();
        if (map.get("<<") instanceof Map<?, ?> below) all.putAll((Map<?, ?>) merged(below));
        map.forEach((key, value) -> {
            if (!key.equals("<<")) all.put(key, value == null ? Map.of() : merged(value));
        });
        return all;
    }

    private static String text(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException cause) {
            throw new AssertionError(file + " cannot be read", cause);
        }
    }

    /// As the container reads it, with the secret from where it lies outside.
    private static PipelineConfig pipeline() {
        var inside = text("deploy/pipeline.compose.yaml");
        assertThat(inside).contains("/run/secrets/postgres_password");
        var outside = inside.replace(
                "/run/secrets/postgres_password",
                ROOT.resolve("deploy/secrets/postgres").toString());
        return switch (Configuration.read("pipeline.compose.yaml", outside, _ -> null)) {
            case ReadResult.Loaded(var config, var warnings) -> {
                // The trial's passwords are known to everybody, by the rights of a work tree, too.
                assertThat(warnings)
                        .allMatch(warning -> warning.message().contains("everybody on this machine may read"));
                yield config;
            }
            case ReadResult.Refused(var problems) -> throw new AssertionError(problems.toString());
        };
    }

    private static Object at(Object node, String... path) {
        var found = node;
        for (var key : path) {
            if (!(found instanceof Map<?, ?> map) || map.get(key) == null)
                throw new AssertionError("no " + key + ", asked for " + String.join(".", path) + " of " + found);
            found = map.get(key);
        }
        return found;
    }

    private Object service(String name, String... path) {
        return at(at(compose, "services", name), path);
    }

    private Map<String, Map<?, ?>> services() {
        var services = new TreeMap<String, Map<?, ?>>();
        ((Map<?, ?>) at(compose, "services")).forEach((name, it) -> services.put((String) name, (Map<?, ?>) it));
        return services;
    }

    /// What the services say under one key, those that say nothing left out.
    private List<String> everywhere(String key) {
        return services().values().stream()
                .map(service -> service.get(key))
                .filter(Objects::nonNull)
                .flatMap(said -> said instanceof List<?> list ? list.stream() : Stream.of(said))
                .map(String.class::cast)
                .toList();
    }

    private int adminPort() {
        return ((AdminConfig.Listening) pipeline.admin()).listen().port();
    }

    @Test
    void everyImageHasAnExactVersion() {
        var images = new ArrayList<>(everywhere("image"));
        FROM.matcher(text("deploy/Dockerfile")).results().forEach(from -> images.add(from.group(1)));
        assertThat(images)
                .hasSizeGreaterThan(10)
                .allSatisfy(image -> assertThat(image).matches(EXACT_VERSION));
    }

    @Test
    void everyPortIsPublishedOnLoopbackAndOnce() {
        assertThat(everywhere("ports"))
                .contains("127.0.0.1:" + adminPort() + ":" + adminPort())
                .allSatisfy(port -> assertThat(port).matches(LOOPBACK))
                .extracting(port -> port.split(":", -1)[1])
                .doesNotHaveDuplicates();
    }

    @Test
    void everyFileThatIsMountedIsThereAndMountedReadOnly() {
        var mounts = everywhere("volumes").stream()
                .map(mount -> mount.split(":", -1))
                .toList();
        var files = mounts.stream().filter(mount -> mount[0].startsWith("./")).toList();
        assertThat(files).hasSizeGreaterThan(8).allSatisfy(mount -> {
            assertThat(ROOT.resolve(mount[0])).isRegularFile().isReadable();
            assertThat(mount).hasSize(3).endsWith("ro");
        });
        assertThat(ROOT.resolve("deploy/postgres/10-shards.sh")).isExecutable();
        assertThat(ROOT.resolve("deploy/healthy")).isExecutable();

        var volumes = new TreeSet<String>();
        for (var mount : mounts) if (!mount[0].startsWith("./")) volumes.add(mount[0]);
        assertThat(((Map<?, ?>) at(compose, "volumes")).keySet()).isEqualTo(volumes);
    }

    @Test
    void everyServiceThatStaysIsCheckedAndWhoWaitsForItWaitsUntilItIsWell() {
        services().forEach((name, service) -> {
            if (!name.equals("topics"))
                assertThat(service.get("healthcheck")).as(name).isNotNull();
            if (service.get("depends_on") instanceof Map<?, ?> waits)
                waits.forEach((on, how) -> assertThat(at(how, "condition"))
                        .as("%s waits for %s", name, on)
                        .isEqualTo(on.equals("topics") ? "service_completed_successfully" : "service_healthy"));
        });
    }

    @Test
    void noPasswordStandsInAnEnvironment() {
        services().forEach((name, service) -> {
            if (!(service.get("environment") instanceof Map<?, ?> environment)) return;
            environment.forEach((variable, value) -> {
                if (((String) variable).contains("PASSWORD"))
                    assertThat((String) value).as("%s of %s", variable, name).startsWith("/run/secrets/");
            });
        });
        ((Map<?, ?>) at(compose, "secrets")).forEach((name, secret) -> {
            assertThat(everywhere("secrets")).contains((String) name);
            assertThat(text((String) at(secret, "file"))).isEqualTo("local-demo-only\n");
        });
    }

    @Test
    void theContainerIsGivenLongerThanTheDrain() {
        var grace = Duration.parse("PT" + service("millrace", "stop_grace_period"));
        assertThat(grace).isGreaterThanOrEqualTo(pipeline.drain().timeout().plusSeconds(5));
    }

    @Test
    void theContainerMayWriteToNothingButItsTemporaryFolder() {
        assertThat(service("millrace", "read_only")).isEqualTo(true);
        assertThat(service("millrace", "cap_drop")).isEqualTo(List.of("ALL"));
        assertThat(service("millrace", "tmpfs").toString()).contains("/tmp:exec");
        assertThat(text("deploy/Dockerfile"))
                .contains("USER 10001:10001", "STOPSIGNAL SIGTERM", "ENTRYPOINT [\"/opt/millrace/bin/millrace\"]");
        assertThat(pipeline.drain().report()).isInstanceOf(DrainConfig.Report.Stdout.class);
    }

    @Test
    void prometheusAndTheHealthCheckAskWhereMillraceListens() {
        assertThat(pipeline.admin())
                .isEqualTo(new AdminConfig.Listening(
                        new HostPort("0.0.0.0", adminPort()), null, List.of("millrace"), AdminConfig.Readers.ANYONE));
        assertThat(service("millrace", "healthcheck", "test"))
                .isEqualTo(List.of("CMD", "/opt/millrace/healthy", Integer.toString(adminPort())));
        var jobs = (List<?>) at(yaml("deploy/prometheus/prometheus.yml"), "scrape_configs");
        assertThat(jobs).anySatisfy(job -> {
            assertThat(at(job, "job_name")).isEqualTo("millrace");
            assertThat(at(job, "metrics_path")).isEqualTo("/metrics");
            assertThat(at(job, "static_configs"))
                    .isEqualTo(List.of(Map.of("targets", List.of("millrace:" + adminPort()))));
        });
        var sources = (List<?>) at(yaml("deploy/grafana/datasources/prometheus.yml"), "datasources");
        assertThat(at(sources.getFirst(), "url")).isEqualTo("http://prometheus:9090");
    }

    @Test
    void thePipelineNamesTheBrokerTheTopicAndTheDatabasesThatAreMade() {
        assertThat((String) service("kafka", "environment", "KAFKA_ADVERTISED_LISTENERS"))
                .contains("INSIDE://" + pipeline.kafka().bootstrapServers().getFirst() + ",");
        assertThat((List<?>) service("topics", "command")).anyMatch("orders"::equals);
        assertThat(text("deploy/pipeline.compose.yaml")).contains("topics: [orders]", "table: orders");
        var made = text("deploy/postgres/10-shards.sh");
        for (var shard : pipeline.sinks().getFirst().shards())
            for (var endpoint : shard.endpoints()) {
                var postgres = (Endpoint.Postgres) endpoint;
                assertThat(postgres.address()).isEqualTo(new HostPort("postgres", 5432));
                assertThat(made).contains("create database " + postgres.database() + ";");
            }
    }

    @Test
    void everyClickHouseServerIsAReplicaOfTheClusterUnderItsOwnMacros() throws Exception {
        var cluster = xml("deploy/clickhouse/cluster.xml");
        var hosts = texts(cluster.getElementsByTagName("host"));
        assertThat(hosts.removeFirst()).as("of the Keeper").isEqualTo("keeper");
        var servers = new ArrayList<String>();
        services().forEach((name, service) -> {
            if (!name.startsWith("clickhouse-")) return;
            servers.add(name);
            assertThat(service.get("hostname")).isEqualTo(name);
            assertThat("clickhouse-" + at(service, "environment", "MACRO_SHARD") + "-"
                            + at(service, "environment", "MACRO_REPLICA"))
                    .isEqualTo(name);
            assertThat(service.get("profiles")).isEqualTo(List.of("clickhouse"));
        });
        assertThat(hosts).isEqualTo(servers).hasSize(4);
        assertThat(service("keeper", "profiles")).isEqualTo(List.of("clickhouse"));

        var keeper = xml("deploy/clickhouse/keeper.xml");
        assertThat(texts(keeper.getElementsByTagName("tcp_port")))
                .isEqualTo(texts(cluster.getElementsByTagName("port")).subList(0, 1));
        assertThat(texts(keeper.getElementsByTagName("hostname"))).containsExactly("keeper");
    }

    private static Document xml(String file) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(ROOT.resolve(file).toFile());
    }

    private static List<String> texts(NodeList nodes) {
        var texts = new ArrayList<String>();
        for (var i = 0; i < nodes.getLength(); i++) texts.add(nodes.item(i).getTextContent());
        return texts;
    }
}
