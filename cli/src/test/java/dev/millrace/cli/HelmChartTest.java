package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.config.Configuration;
import dev.millrace.config.ReadResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// The chart as Helm itself renders it. Whether a cluster runs it is for a cluster to say.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class HelmChartTest {
    private static final Path CHART =
            Path.of("..", "deploy", "helm", "millrace").toAbsolutePath().normalize();
    private static final String PIPELINE = """
            pipeline: { name: orders }
            source:
              kafka:
                bootstrap_servers: kafka:9092
                topics: [ orders, payments ]
                group_id: orders-ingest
                properties: { group.instance.id: "${POD_NAME}" }
            format: { json: {} }
            sinks:
              hole: { blackhole: {}, shards: { s0: [ "blackhole:s0" ] } }
            drain: { timeout: 25s }
            admin: { listen: "0.0.0.0:9191" }
            """;
    private static final String EVERYTHING = """
            image: { repository: registry.example/millrace, tag: "7" }
            replicas: 3
            secretMounts: [ { name: db, secret: storefront, mountPath: /run/secrets/db } ]
            networkPolicy: { enabled: true, ingressFrom: [ { podSelector: {} } ], egress: [ { to: [] } ] }
            serviceMonitor: { enabled: true }
            keda: { enabled: true, lagThreshold: 2500000 }
            """;

    private Path folder = Path.of("unset");

    @BeforeAll
    void render(@TempDir Path made) throws Exception {
        assumeThat(System.getProperty("os.name") + " " + System.getProperty("os.arch"))
                .as("Helm's code is there for this one")
                .isEqualTo("Linux amd64");
        folder = made;
        describe("plain", "{}", PIPELINE);
        describe("everything", EVERYTHING, PIPELINE);
        describe("no-file", "{}", "");
        describe("misspelt", "replica: 2", PIPELINE);
        describe("long-drain", "{}", PIPELINE.replace("25s", "1m"));
        describe("loopback", "{}", PIPELINE.replace("0.0.0.0", "127.0.0.1"));
        describe("no-member", "{}", PIPELINE.replace("${POD_NAME}", "other-${POD_NAME}"));
        describe("one-name", "staticMembership: false", PIPELINE.replace("${POD_NAME}", "same"));
        describe("pattern", "keda: { enabled: true }", PIPELINE.replace("[ orders, payments ]", "{ pattern: a }"));
        var helm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        HelmRender.class.getName(),
                        CHART.toString(),
                        folder.toString())
                .redirectErrorStream(true);
        helm.environment().put("KUBECONFIG", "/dev/null");
        var process = helm.start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(said).isZero();
    }

    private void describe(String name, String values, String pipeline) throws IOException {
        Files.writeString(folder.resolve(name + ".values"), values);
        Files.writeString(folder.resolve(name + ".pipeline"), pipeline);
    }

    private String refusal(String name) throws IOException {
        assertThat(folder.resolve(name + ".rendered")).doesNotExist();
        return Files.readString(folder.resolve(name + ".refused"));
    }

    /// By kind.
    private Map<String, Map<?, ?>> rendered(String name) throws IOException {
        assertThat(folder.resolve(name + ".refused")).doesNotExist();
        var load = new Load(LoadSettings.builder().build());
        var found = new TreeMap<String, Map<?, ?>>();
        for (var document : load.loadAllFromString(Files.readString(folder.resolve(name + ".rendered")))) {
            var map = (Map<?, ?>) document;
            assertThat(found.put((String) map.get("kind"), map)).isNull();
        }
        return found;
    }

    private static Object at(@Nullable Object node, Object... path) {
        var found = node;
        for (var key : path) {
            if (found instanceof List<?> list) found = list.get((int) key);
            else found = found instanceof Map<?, ?> map ? map.get(key) : null;
        }
        if (found == null) throw new AssertionError("no " + List.of(path));
        return found;
    }

    private static Object container(Map<String, Map<?, ?>> rendered) {
        return at(rendered.get("StatefulSet"), "spec", "template", "spec", "containers", 0);
    }

    @Test
    void helmFindsNothingWrongWithIt() throws IOException {
        assertThat(Files.readString(folder.resolve("lint")))
                .startsWith("passed\n")
                .doesNotContain("[WARNING]", "[ERROR]");
    }

    @Test
    void whatIsOptionalIsOffUnlessAskedFor() throws IOException {
        assertThat(rendered("plain").keySet())
                .containsExactly("ConfigMap", "PodDisruptionBudget", "Service", "StatefulSet");
        assertThat(rendered("everything").keySet())
                .containsExactly(
                        "ConfigMap",
                        "NetworkPolicy",
                        "PodDisruptionBudget",
                        "ScaledObject",
                        "Service",
                        "ServiceMonitor",
                        "StatefulSet");
    }

    @Test
    void thePodReadsTheFileAsItWasGivenUnderItsOwnName() throws IOException {
        var plain = rendered("plain");
        var file = (String) at(plain.get("ConfigMap"), "data", "pipeline.yaml");
        assertThat(file).isEqualTo(PIPELINE);
        assertThat(Configuration.read("pipeline.yaml", file, Map.of("POD_NAME", "orders-millrace-0")::get))
                .isInstanceOfSatisfying(
                        ReadResult.Loaded.class,
                        loaded -> assertThat(loaded.warnings()).isEmpty());
        assertThat(at(container(plain), "args")).isEqualTo(List.of("run", "/etc/millrace/pipeline.yaml"));
        assertThat(at(container(plain), "env", 0, "name")).isEqualTo("POD_NAME");
        assertThat(at(container(plain), "env", 0, "valueFrom", "fieldRef", "fieldPath"))
                .isEqualTo("metadata.name");
    }

    @Test
    void probesAskWhereThePipelineListens() throws IOException {
        var plain = rendered("plain");
        assertThat(at(container(plain), "ports", 0)).isEqualTo(Map.of("name", "admin", "containerPort", 9191));
        assertThat(at(container(plain), "livenessProbe", "httpGet"))
                .isEqualTo(Map.of("path", "/healthz", "port", "admin"));
        assertThat(at(container(plain), "readinessProbe", "httpGet"))
                .isEqualTo(Map.of("path", "/readyz", "port", "admin"));
        assertThat(at(plain.get("Service"), "spec", "ports", 0, "port")).isEqualTo(9191);
    }

    @Test
    void thePodIsNotRootAndWritesOnlyToItsTemporaryFolder() throws IOException {
        var pod = at(rendered("everything").get("StatefulSet"), "spec", "template", "spec");
        assertThat(at(pod, "securityContext", "runAsNonRoot")).isEqualTo(true);
        assertThat(at(pod, "securityContext", "runAsUser")).isEqualTo(10001);
        assertThat(at(pod, "automountServiceAccountToken")).isEqualTo(false);
        assertThat(at(pod, "containers", 0, "securityContext"))
                .isEqualTo(Map.of(
                        "allowPrivilegeEscalation",
                        false,
                        "readOnlyRootFilesystem",
                        true,
                        "capabilities",
                        Map.of("drop", List.of("ALL"))));
        var writable = new ArrayList<Object>();
        for (var mount : (List<?>) at(pod, "containers", 0, "volumeMounts"))
            if (!Boolean.TRUE.equals(((Map<?, ?>) mount).get("readOnly"))) writable.add(at(mount, "mountPath"));
        assertThat(writable).containsExactly("/tmp");
    }

    @Test
    void whoScalesByLagIsNotOverruledByANumberOfPods() throws IOException {
        var spec = (Map<?, ?>) at(rendered("everything").get("StatefulSet"), "spec");
        assertThat(spec.containsKey("replicas")).isFalse();
        assertThat(at(rendered("plain").get("StatefulSet"), "spec", "replicas")).isEqualTo(1);
        var triggers = (List<?>) at(rendered("everything").get("ScaledObject"), "spec", "triggers");
        var topics = new TreeSet<Object>();
        for (var trigger : triggers) {
            topics.add(at(trigger, "metadata", "topic"));
            assertThat(at(trigger, "metadata", "consumerGroup")).isEqualTo("orders-ingest");
            assertThat(at(trigger, "metadata", "lagThreshold")).isEqualTo("2500000");
        }
        assertThat(topics).containsExactly("orders", "payments");
    }

    @Test
    void selectorsFindThePodsOfThisReleaseAlone() throws IOException {
        var all = rendered("everything");
        var pod = (Map<?, ?>) at(all.get("StatefulSet"), "spec", "template", "metadata", "labels");
        assertThat(pod).isEqualTo(Map.of("app.kubernetes.io/name", "millrace", "app.kubernetes.io/instance", "orders"));
        assertThat(at(all.get("StatefulSet"), "spec", "selector", "matchLabels"))
                .isEqualTo(pod);
        assertThat(at(all.get("PodDisruptionBudget"), "spec", "selector", "matchLabels"))
                .isEqualTo(pod);
        assertThat(at(all.get("Service"), "spec", "selector")).isEqualTo(pod);
        assertThat(at(all.get("NetworkPolicy"), "spec", "podSelector", "matchLabels"))
                .isEqualTo(pod);
    }

    @Test
    void whatWouldGoWrongLaterIsRefusedNow() throws IOException {
        assertThat(refusal("no-file")).contains("pipeline is empty: give the file, with --set-file");
        assertThat(refusal("misspelt")).contains("additional properties 'replica' not allowed");
        assertThat(refusal("long-drain")).contains("terminationGracePeriodSeconds is 60 and drain.timeout", "1m");
        assertThat(refusal("loopback")).contains("admin.listen of the pipeline is 127.0.0.1:9191");
        assertThat(refusal("no-member")).contains("staticMembership is on");
        assertThat(refusal("one-name")).contains("group.instance.id is same for every pod");
        assertThat(refusal("pattern")).contains("KEDA's Kafka scaler knows them by name only");
    }
}
