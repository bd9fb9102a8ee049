package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.config.Configuration;
import dev.millrace.config.ReadResult;
import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import dev.millrace.lab.BrokerSettings;
import dev.millrace.lab.EmbeddedBroker;
import dev.millrace.lab.FreePort;
import dev.millrace.lab.http.Pem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// TLS and logins against a real broker, by settings as a file has them.
@Tag("CFG-5")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
final class SecureBrokerTest {
    private static final String TOPIC = "orders";

    /// All that a line of a login module might trip over.
    private static final String PASSWORD = "p\"a\\s';s = // #${x} é";

    private final int plain = FreePort.take();
    private final int mutual = FreePort.take();
    private final int login = FreePort.take();
    private Pem server = Pem.NONE;
    private Pem client = Pem.NONE;
    private EmbeddedBroker broker;

    enum Mechanism {
        PLAIN,
        SCRAM_SHA_256,
        SCRAM_SHA_512;

        String word() {
            return name().replace('_', '-');
        }
    }

    @BeforeAll
    void launch(@TempDir Path directory) throws Exception {
        server = Pem.make(directory, "server", "EC", "256");
        client = Pem.make(directory, "client", "EC", "256");
        var controller = FreePort.take();
        var known = "org.apache.kafka.common.security.plain.PlainLoginModule required user_me=\""
                + PASSWORD.replace("\\", "\\\\").replace("\"", "\\\"") + "\";";
        var scram = "org.apache.kafka.common.security.scram.ScramLoginModule required;";
        broker = EmbeddedBroker.launch(BrokerSettings.small()
                .onPort(plain)
                .with("controller.quorum.voters", "1@127.0.0.1:" + controller)
                .with(
                        "listeners",
                        "PLAINTEXT://127.0.0.1:" + plain + ",CONTROLLER://127.0.0.1:" + controller
                                + ",MUTUAL://127.0.0.1:" + mutual + ",LOGIN://127.0.0.1:" + login)
                .with(
                        "advertised.listeners",
                        "PLAINTEXT://127.0.0.1:" + plain + ",MUTUAL://localhost:" + mutual + ",LOGIN://localhost:"
                                + login)
                .with(
                        "listener.security.protocol.map",
                        "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,MUTUAL:SSL,LOGIN:SASL_SSL")
                .with("ssl.keystore.type", "PEM")
                .with("ssl.keystore.key", Files.readString(server.keyFile()))
                .with("ssl.keystore.certificate.chain", Files.readString(server.certificateFile()))
                .with("ssl.truststore.type", "PEM")
                .with("ssl.truststore.certificates", Files.readString(client.certificateFile()))
                .with("listener.name.mutual.ssl.client.auth", "required")
                .with("listener.name.login.sasl.enabled.mechanisms", "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512")
                .with("listener.name.login.plain.sasl.jaas.config", known)
                .with("listener.name.login.scram-sha-256.sasl.jaas.config", scram)
                .with("listener.name.login.scram-sha-512.sasl.jaas.config", scram));
        try (var admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get(30, TimeUnit.SECONDS);
            for (var mechanism : List.of(ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512))
                admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
                                "me", new ScramCredentialInfo(mechanism, 4096), PASSWORD)))
                        .all()
                        .get(30, TimeUnit.SECONDS);
        }
    }

    @AfterAll
    void close() {
        broker.close();
    }

    /// As a file says it.
    private static KafkaClients clients(String bootstrap, String settings) {
        var text = """
                pipeline: { name: shop }
                source:
                  kafka:
                    bootstrap_servers: %s
                    topics: [orders]
                    group_id: shop
                %s
                sinks: { hole: { blackhole: {} } }
                """.formatted(bootstrap, settings.indent(4));
        return switch (Configuration.read("pipeline.yaml", text, name -> name.equals("WORD") ? PASSWORD : "another")) {
            case ReadResult.Loaded(var config, var _) ->
                new KafkaClients(KafkaSourceSettings.of(bootstrap, new Subscription.Named(List.of(TOPIC)), "shop")
                        .properties(config.kafka().properties().reveal()));
            case ReadResult.Refused(var problems) -> throw new AssertionError(problems.toString());
        };
    }

    private static String trusting(Path authority) throws Exception {
        return "  ssl.truststore.type: PEM\n  ssl.truststore.certificates: |\n"
                + Files.readString(authority).indent(4);
    }

    private static String login(Mechanism mechanism, String variable) {
        return "login: { mechanism: " + mechanism.word() + ", user: me, password: \"${" + variable + "}\" }\n";
    }

    private String showing() throws Exception {
        return "  ssl.keystore.type: PEM\n  ssl.keystore.key: |\n"
                + Files.readString(client.keyFile()).indent(4)
                + "  ssl.keystore.certificate.chain: |\n"
                + Files.readString(client.certificateFile()).indent(4);
    }

    /// Each of the clients gets in: what one sends another reads.
    private static void getIn(KafkaClients clients) throws Exception {
        var row = "a row".getBytes(StandardCharsets.UTF_8);
        long offset;
        try (var producer = clients.deadLetterProducer()) {
            offset = producer.send(new ProducerRecord<>(TOPIC, row))
                    .get(30, TimeUnit.SECONDS)
                    .offset();
        }
        try (var consumer = clients.originals()) {
            var at = new TopicPartition(TOPIC, 0);
            consumer.assign(List.of(at));
            consumer.seek(at, offset);
            var until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            var records = consumer.poll(Duration.ofSeconds(1));
            while (records.isEmpty() && System.nanoTime() - until < 0) records = consumer.poll(Duration.ofSeconds(1));
            assertThat(records.iterator().next().value()).isEqualTo(row);
        }
        try (var admin = clients.admin()) {
            assertThat(admin.describeCluster().nodes().get(30, TimeUnit.SECONDS))
                    .singleElement()
                    .satisfies(node -> assertThat(node.host()).isEqualTo("localhost"));
        }
    }

    private static void staysOut(KafkaClients clients, Class<? extends Exception> because) {
        try (var admin = clients.admin()) {
            assertThatThrownBy(() -> admin.describeCluster().nodes().get(30, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(because);
        }
    }

    @ParameterizedTest
    @EnumSource(Mechanism.class)
    @DisplayName("CFG-5: a login by user and password gets in over TLS, whatever the password holds")
    void aLoginGetsIn(Mechanism mechanism) throws Exception {
        getIn(clients(
                "localhost:" + login, login(mechanism, "WORD") + "properties:\n" + trusting(server.certificateFile())));
    }

    @ParameterizedTest
    @EnumSource(Mechanism.class)
    void anotherPasswordStaysOut(Mechanism mechanism) throws Exception {
        staysOut(
                clients(
                        "localhost:" + login,
                        login(mechanism, "OTHER") + "properties:\n" + trusting(server.certificateFile())),
                SaslAuthenticationException.class);
    }

    @Test
    @DisplayName("CFG-5: mutual TLS: the broker sees the client's certificate, and the client the broker's")
    void whoShowsACertificateGetsIn() throws Exception {
        var ssl = "properties:\n  security.protocol: SSL\n" + trusting(server.certificateFile());
        getIn(clients("localhost:" + mutual, ssl + showing()));
        staysOut(clients("localhost:" + mutual, ssl), SslAuthenticationException.class);
    }

    @Test
    @DisplayName("CFG-5: a broker of another name or another authority is shown no password")
    void anotherBrokerIsNotLoggedInTo() throws Exception {
        var by = login(Mechanism.PLAIN, "WORD") + "properties:\n";
        staysOut(
                clients("127.0.0.1:" + login, by + trusting(server.certificateFile())),
                SslAuthenticationException.class);
        staysOut(
                clients("localhost:" + login, by + trusting(client.certificateFile())),
                SslAuthenticationException.class);
    }
}
