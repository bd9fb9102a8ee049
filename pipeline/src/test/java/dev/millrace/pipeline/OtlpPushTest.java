package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.millrace.config.Configuration;
import dev.millrace.config.MetricsConfig;
import dev.millrace.config.ReadResult;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.metrics.v1.Metric;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Against a server of the JDK that takes what a collector takes.
class OtlpPushTest {
    private record Push(String path, String type, String token, ExportMetricsServiceRequest body) {}

    private final BlockingQueue<Push> pushes = new LinkedBlockingQueue<>();

    private static MetricsConfig settings(int port) {
        var text = """
                pipeline: { name: shop }
                source: { kafka: { bootstrap_servers: "a:9092", topics: [orders], group_id: shop } }
                format: { json: {} }
                sinks: { hole: { blackhole: {}, shards: { s0: [ "blackhole:a" ] } } }
                metrics:
                  otlp: http://127.0.0.1:%d/v1/metrics
                  otlp_interval: 1s
                  otlp_headers: { X-Token: "${T}" }
                """.formatted(port);
        return switch (Configuration.read("pipeline.yaml", text, name -> name.equals("T") ? "sesame" : null)) {
            case ReadResult.Loaded(var config, var _) -> config.metrics();
            case ReadResult.Refused(var problems) -> throw new AssertionError(problems.toString());
        };
    }

    private HttpServer server(AtomicInteger status) throws Exception {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                pushes.add(new Push(
                        exchange.getRequestURI().getPath(),
                        exchange.getRequestHeaders().getFirst("Content-Type"),
                        exchange.getRequestHeaders().getFirst("X-Token"),
                        ExportMetricsServiceRequest.parseFrom(exchange.getRequestBody())));
                exchange.getResponseHeaders().set("Location", "/elsewhere");
                exchange.sendResponseHeaders(status.get(), -1);
            }
        });
        server.start();
        return server;
    }

    private static double gauge(Push push, String name) {
        return Objects.requireNonNull(metrics(push).get(name))
                .getGauge()
                .getDataPoints(0)
                .getAsDouble();
    }

    private static Map<String, Metric> metrics(Push push) {
        var metrics = new LinkedHashMap<String, Metric>();
        for (var resource : push.body().getResourceMetricsList())
            for (var scope : resource.getScopeMetricsList())
                for (var metric : scope.getMetricsList()) metrics.put(metric.getName(), metric);
        return metrics;
    }

    @Test
    @Tag("OPS-2")
    @DisplayName("metrics are pushed on an interval of their own, also after a push that was refused, and at the end")
    void metricsArePushedOnAnIntervalOfTheirOwn() throws Exception {
        var status = new AtomicInteger(503);
        var server = server(status);
        var scrape = new Scrape();
        try {
            var port = server.getAddress().getPort();
            var registry = scrape.registry("shop", settings(port), () -> null);
            var rows = new AtomicInteger(7);
            dev.millrace.pipeline.Metric.IN_FLIGHT_ROWS.gauge(registry, Tags.empty(), rows::get);
            Gauge.builder("other", () -> 1).register(registry);

            var refused = pushes.poll(30, TimeUnit.SECONDS);
            assertThat(refused).isNotNull();
            status.set(200);
            rows.set(9);
            var push = pushes.poll(30, TimeUnit.SECONDS);
            assertThat(push).isNotNull();
            assertThat(push.path()).isEqualTo("/v1/metrics");
            assertThat(push.type()).isEqualTo("application/x-protobuf");
            assertThat(push.token()).isEqualTo("sesame");
            assertThat(push.body().getResourceMetrics(0).getResource().getAttributesList())
                    .anySatisfy(one -> {
                        assertThat(one.getKey()).isEqualTo("service.name");
                        assertThat(one.getValue().getStringValue()).isEqualTo("millrace");
                    });
            var metric = Objects.requireNonNull(metrics(push).get("millrace.inflight.rows"));
            assertThat(metric.getUnit()).isEqualTo("rows");
            assertThat(metric.getGauge()
                            .getDataPoints(0)
                            .getAttributes(0)
                            .getValue()
                            .getStringValue())
                    .isEqualTo("shop");
            assertThat(metrics(push)).containsKeys("jvm.memory.used", "process.uptime");

            rows.set(11);
            pushes.clear();
            scrape.close();
            var last = Objects.requireNonNull(pushes.poll());
            while (!pushes.isEmpty()) last = Objects.requireNonNull(pushes.poll());
            assertThat(gauge(last, "millrace.inflight.rows")).isEqualTo(11);
        } finally {
            scrape.close();
            server.stop(0);
        }
    }

    @Test
    @Tag("OPS-2")
    @DisplayName("a collector that points elsewhere is not followed: what is shown to it is shown to nobody else")
    void aRedirectIsNotFollowed() throws Exception {
        var server = server(new AtomicInteger(302));
        var scrape = new Scrape();
        try {
            var _ = scrape.registry("shop", settings(server.getAddress().getPort()), () -> null);
            for (var push = 0; push < 2; push++)
                assertThat(pushes.poll(30, TimeUnit.SECONDS))
                        .isNotNull()
                        .extracting(Push::path)
                        .isEqualTo("/v1/metrics");
        } finally {
            scrape.close();
            server.stop(0);
        }
    }
}
