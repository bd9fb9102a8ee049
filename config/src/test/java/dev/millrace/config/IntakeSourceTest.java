package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// `source.http`: what it comes to, and what of a file can't go with it.
class IntakeSourceTest {
    private static final String LEAST = """
            pipeline:
              name: storefront
            source:
              http:
                topics: [orders, payments]
            delivery: at_least_once
            poison: { action: skip }
            sinks:
              warehouse:
                blackhole: {}
            """;

    private static PipelineText least() {
        return new PipelineText(LEAST);
    }

    /// More lines below `http`.
    private static PipelineText http(String lines) {
        return least().with("    topics: [orders, payments]\n", "    topics: [orders, payments]\n" + lines.indent(4));
    }

    private static HttpSourceConfig source(PipelineText text) {
        return (HttpSourceConfig) text.config().source();
    }

    @Test
    void theLeastListensOnLoopbackAndAsksNobody() {
        assertThat(source(least()))
                .isEqualTo(new HttpSourceConfig(
                        new HostPort("127.0.0.1", 8088),
                        new Topics.Listed(List.of("orders", "payments")),
                        4 << 20,
                        64,
                        Duration.ofSeconds(20),
                        null,
                        null));
        assertThat(least().onlySink().topics().includes("payments")).isTrue();
        assertThatThrownBy(() -> least().config().kafka()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void allOfItIsRead() {
        var text = http("""
                listen: 0.0.0.0:8443
                max_body: 1MiB
                max_requests: 8
                wait_timeout: 3s
                token_file: /run/secrets/intake
                tls: { cert_file: /etc/ssl/a.pem, key_file: /etc/ssl/a.key }
                """);
        assertThat(source(text))
                .isEqualTo(new HttpSourceConfig(
                        new HostPort("0.0.0.0", 8443),
                        new Topics.Listed(List.of("orders", "payments")),
                        1 << 20,
                        8,
                        Duration.ofSeconds(3),
                        Path.of("/run/secrets/intake"),
                        new HttpSourceConfig.ServerTls(Path.of("/etc/ssl/a.pem"), Path.of("/etc/ssl/a.key"))));
        assertThat(Plaintext.of(text.config())).isEmpty();
    }

    @Test
    void aPipelineHasOneSource() {
        assertThat(least().with("  http:\n    topics: [orders, payments]\n", "  {}\n")
                        .problems())
                .contains("source: has no kind; add kafka or http below it");
        var both = "  kafka: { bootstrap_servers: \"a:1\", topics: [orders], group_id: g }\n  http:\n";
        assertThat(least().with("  http:\n", both).problems())
                .contains("source: has both kafka and http; keep one, and run two pipelines");
    }

    @Test
    void whereOthersReachItItAsksForATokenAndOverTls() {
        assertThat(http("listen: 0.0.0.0:8088").problems())
                .singleElement()
                .asString()
                .contains("source.http.listen", "set source.http.token_file, or listen on 127.0.0.1");
        var token = http("listen: 0.0.0.0:8088\ntoken_file: /run/secrets/intake");
        assertThat(token.problems())
                .singleElement()
                .asString()
                .contains("the token would go to 0.0.0.0:8088 in clear; set tls");
        var allowed = http("listen: 0.0.0.0:8088\ntoken_file: /run/secrets/intake\nallow_plaintext: true");
        assertThat(Plaintext.of(allowed.config())).extracting(Plaintext::path).containsExactly("source.http");
        assertThat(http("listen: localhost:8088\ntoken_file: /run/secrets/intake")
                        .problems())
                .isEmpty();
    }

    @Test
    void whatTakesALogIsRefusedWithWhatHolds() {
        assertThat(least().with("delivery: at_least_once\n", "").problems())
                .singleElement()
                .asString()
                .contains("delivery: effectively_once takes a log", "set delivery: at_least_once");
        assertThat(least().with("poison: { action: skip }\n", "").problems())
                .singleElement()
                .asString()
                .contains("poison.action: dead_letter takes a topic of Kafka", "skip");
        for (var lines : List.of(
                "checkpoint: { interval: 5s }",
                "token_epoch: 2",
                "on_config_change: replan",
                "on_expired_token: resend",
                "admission: { resume_below: 70% }",
                "format: { json: { on_tombstone: skip } }"))
            assertThat(least().root(lines).problems())
                    .as(lines)
                    .singleElement()
                    .asString()
                    .contains("is only for source.kafka", "leave it out");
        assertThat(least().root("require: L2").problems())
                .singleElement()
                .asString()
                .contains("require: L2 is not reached");
    }

    @Test
    void sinksHaveRowsAndTimeEnough() {
        assertThat(least().root("admission: { max_rows: 999 }").problems())
                .singleElement()
                .asString()
                .contains("admission.max_rows: 999 is below 1000");
        assertThat(http("wait_timeout: 1s")
                        .with("    blackhole: {}\n", "    blackhole: {}\n    batch: { linger: 1s }\n")
                        .problems())
                .singleElement()
                .asString()
                .contains("sinks.warehouse.batch.linger", "is not below source.http.wait_timeout 1s");
        assertThat(least().with(
                                "    blackhole: {}\n",
                                "    blackhole: {}\n  shadow:\n    blackhole: {}\n    advisory: true\n")
                        .problems())
                .singleElement()
                .asString()
                .contains("sinks.shadow.advisory: is only for source.kafka");
        var ordered = least().with("    blackhole: {}\n", "    blackhole: {}\n    ordering: key\n    lanes: 2\n");
        assertThat(ordered.problems()).as("SEAL-8").isEmpty();
        assertThat(ordered.root("route: { key: partition }").problems())
                .containsExactly(
                        "sinks.warehouse.ordering: key takes shards that are chosen by the key, and with"
                                + " route.key: partition bodies go to them in turn; use route.key: kafka_key, or ordering: none");
        assertThat(least().with("    blackhole: {}\n", "    blackhole: {}\n    topics: [order]\n")
                        .problems())
                .anySatisfy(
                        told -> assertThat(told).contains("order is not in source.http.topics; did you mean orders?"));
    }
}
