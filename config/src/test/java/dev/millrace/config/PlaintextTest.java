package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What leaves the machine in clear: refused unless its section allows it, and told where it does.
@Tag("CFG-5")
class PlaintextTest {
    private static final String KAFKA = """
            pipeline: { name: storefront }
            source:
              kafka:
                bootstrap_servers: BROKERS
                topics: [orders]
                group_id: g
                PROPERTIES
            """;

    private static PipelineText sink(String lines, String endpoint) {
        return new PipelineText(kafka("kafka:9092", "properties: {}").text() + "sinks:\n  s:\n" + lines.indent(4)
                + "    shards: { s0: [ \"" + endpoint + "\" ] }\n");
    }

    private static PipelineText kafka(String brokers, String properties) {
        return new PipelineText(KAFKA.replace("BROKERS", brokers).replace("PROPERTIES", properties));
    }

    private static PipelineText source(String brokers, String properties) {
        return new PipelineText(kafka(brokers, properties).text() + "sinks: { s: { blackhole: {} } }\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgres://127.0.0.1:5432/d",
                "postgres://127.8.9.1:5432/d",
                "postgres://localhost:5432/d",
                "postgres://LocalHost:5432/d",
                "postgres://[::1]:5432/d",
                "postgres://[0:0:0:0:0:0:0:1]:5432/d"
            })
    void whatStaysOnTheMachineMayBeReadable(String endpoint) {
        var text = sink("postgres: { table: t, user: u, password: \"${PASSWORD}\" }", endpoint);
        assertThat(text.problems()).isEmpty();
        assertThat(Plaintext.of(text.config())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgres://db:5432/d",
                "postgres://10.0.0.1:5432/d",
                "postgres://localhost.example.net:5432/d",
                "postgres://127.0.0.1.example.net:5432/d",
                "postgres://128.0.0.1:5432/d",
                "postgres://[::2]:5432/d",
                "postgres://[fe80::1]:5432/d"
            })
    void aPasswordForAnotherMachineIsRefusedAndMayBeAllowed(String endpoint) {
        var text = sink("postgres: { table: t, user: u, password: \"${PASSWORD}\" }", endpoint);
        var address = endpoint.substring("postgres://".length(), endpoint.length() - 2);
        assertThat(text.problems())
                .containsExactly("sinks.s.postgres: the password would go to " + address
                        + " in clear; use tls.mode: verify-full, or set allow_plaintext: true here where nobody else"
                        + " can listen");
        var allowed = text.with("user: u,", "user: u, allow_plaintext: true,");
        assertThat(allowed.warnings()).isEmpty();
        assertThat(Plaintext.of(allowed.config())).singleElement().satisfies(told -> {
            assertThat(told.path()).isEqualTo("sinks.s.postgres");
            assertThat(told.receivers()).isEqualTo(address);
        });
        var encrypted = text.with("user: u,", "user: u, tls: { mode: verify-full, ca_file: /ca.pem },");
        assertThat(Plaintext.of(encrypted.config())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "clickhouse: { database: d, table: t, user: u, password: \"${PASSWORD}\" }",
                "clickhouse: { database: d, table: t, token: \"${PASSWORD}\" }",
                "http: { user: u, password: \"${PASSWORD}\" }",
                "http: { bearer_token: \"${PASSWORD}\" }",
                "http: { headers: { X-Source: kafka, Authorization: \"${PASSWORD}\" } }",
                "http: { headers: { x-api-key: \"${PASSWORD}\" } }",
                "http: { headers: { X-Auth: \"${PASSWORD}\" } }",
                "http: { headers: { X-Signature-256: \"${PASSWORD}\" } }",
                "http: { headers: { X-Session-Id: \"${PASSWORD}\" } }"
            })
    void noSecretGoesByPlainHttpUnlessAllowed(String kind) {
        var text = sink(kind, "http://in:8080");
        assertThat(text.problems()).singleElement().asString().contains(" would go to in:8080 in clear; use https, or");
        assertThat(sink(kind, "https://in:8080").problems()).isEmpty();
        assertThat(sink(kind, "http://localhost:8080").problems()).isEmpty();
        assertThat(Plaintext.of(sink(kind, "https://in:8080").config())).isEmpty();
        assertThat(Plaintext.of(sink(kind.replaceFirst("\\{ ", "{ allow_plaintext: true, "), "http://in:8080")
                        .config()))
                .singleElement()
                .extracting(Plaintext::path)
                .isEqualTo("sinks.s." + kind.substring(0, kind.indexOf(':')));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "clickhouse: { database: d, table: t, user: u }",
                "http: { method: POST }",
                "http: { user: u }",
                "http: { headers: { X-Source: kafka } }"
            })
    void whoShowsNoSecretMayDoSo(String kind) {
        assertThat(sink(kind, "http://in:8080").problems()).isEmpty();
    }

    @Test
    @DisplayName("CFG-5: a SASL login over a plain connection, by any mechanism, stays on the machine")
    void aLoginToABroker() {
        for (var mechanism : new String[] {"PLAIN", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI"}) {
            var login = "properties: { security.protocol: SASL_PLAINTEXT, sasl.mechanism: " + mechanism + " }";
            assertThat(source("localhost:9092,[::1]:9092", login).problems()).isEmpty();
            assertThat(source("localhost:9092,a:9092,b:9092,c:9092", login).problems())
                    .containsExactly("source.kafka: the login would go to a:9092, b:9092 and 1 more in clear; use"
                            + " security.protocol: SASL_SSL, or set allow_plaintext: true here where nobody else can"
                            + " listen");
            assertThat(source("a:9092", login.replace("_PLAINTEXT", "_SSL")).problems())
                    .isEmpty();
            assertThat(Plaintext.of(source("a:9092", "allow_plaintext: true\n    " + login)
                            .config()))
                    .singleElement()
                    .extracting(Plaintext::receivers)
                    .isEqualTo("a:9092");
        }
        assertThat(source("a:9092", "properties: { security.protocol: PLAINTEXT }")
                        .problems())
                .isEmpty();
    }

    @Test
    void aClientSecretForWhoGivesTokens() {
        var at = "properties: { security.protocol: SASL_SSL, sasl.oauthbearer.token.endpoint.url: \"URL\" }";
        assertThat(source("a:9092", at.replace("URL", "http://id.example.net/token"))
                        .problems())
                .singleElement()
                .asString()
                .startsWith("source.kafka: the client secret would go to id.example.net:80 in clear; use https in"
                        + " sasl.oauthbearer.token.endpoint.url, or");
        for (var odd : new String[] {"auth_server:8080", "-id:8080", "[fe80::1]:8080"})
            assertThat(source("a:9092", at.replace("URL", "HTTP://u:p@" + odd + "/a b?c@d"))
                            .problems())
                    .singleElement()
                    .asString()
                    .contains(" would go to " + odd + " in clear; use https");
        for (var fine : new String[] {"https://id/token", "http://[::1]:80/token", "http://localhost/token"})
            assertThat(source("a:9092", at.replace("URL", fine)).problems()).isEmpty();
    }

    @Test
    void aLoginAndAClientSecretAreBothTold() {
        var both = "properties: { security.protocol: SASL_PLAINTEXT,"
                + " sasl.oauthbearer.token.endpoint.url: \"http://id/token\" }";
        assertThat(source("a:9092", both).problems()).hasSize(2);
        assertThat(Plaintext.of(
                        source("a:9092", "allow_plaintext: true\n    " + both).config()))
                .extracting(Plaintext::secret)
                .containsExactly("login", "client secret");
    }

    @Test
    void aHeaderThatAFileBroughtIsASecret(@TempDir Path directory) throws Exception {
        var file = Files.writeString(directory.resolve("header"), "hunter2\n");
        var text = sink("http: { headers: { X-Source: \"${file:" + file + "}\" } }", "http://in:8080");
        assertThat(text.problems()).singleElement().asString().contains("the header X-Source would go to in:8080");
        var encrypted = sink("http: { headers: { X-Source: \"${file:" + file + "}\" } }", "https://in:8080");
        assertThat(SecretValues.of(encrypted.config())).contains("hunter2");
        var plain = sink("http: { headers: { X-Source: \"${PASSWORD}\" } }", "https://in:8080");
        assertThat(SecretValues.of(plain.config())).doesNotContain("hunter2");
    }

    @Test
    void aHeaderForACollector() {
        var text = new PipelineText(source("a:9092", "properties: {}").text() + """
                metrics:
                  otlp: http://collector:4318/v1/metrics
                  otlp_headers: { X-Token: "${PASSWORD}" }
                """);
        assertThat(text.problems())
                .containsExactly("metrics: the header X-Token would go to collector:4318 in clear; use https, or set"
                        + " allow_plaintext: true here where nobody else can listen");
        assertThat(text.with("X-Token", "X-Source").problems()).isEmpty();
        assertThat(Plaintext.of(text.with("metrics:\n", "metrics:\n  allow_plaintext: true\n")
                        .config()))
                .singleElement()
                .extracting(Plaintext::path)
                .isEqualTo("metrics");
    }
}
