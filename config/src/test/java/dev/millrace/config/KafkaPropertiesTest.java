package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("CFG-9")
class KafkaPropertiesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "bootstrap.servers",
                "group.id",
                "enable.auto.commit",
                "auto.commit.interval.ms",
                "auto.offset.reset",
                "isolation.level",
                "key.deserializer",
                "value.deserializer",
                "interceptor.classes",
                "config.providers",
                "config.providers.file.class",
                "group.protocol",
                "group.remote.assignor",
                "partition.assignment.strategy",
                "allow.auto.create.topics",
                "metric.reporters",
                "metadata.broker.list",
                "zookeeper.connect",
                "auto.commit.enable",
                "ssl.engine.factory.class"
            })
    void whatWouldBreakAGuaranteeIsRefusedWithTheReason(String key) {
        assertThat(problems(key + ": x"))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("source.kafka.properties." + key + ": may not be set: ")
                .containsAnyOf("; use ", "; leave it out");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "client.id",
                "client.rack",
                "max.poll.records",
                "fetch.max.bytes",
                "fetch.min.bytes",
                "max.partition.fetch.bytes",
                "max.poll.interval.ms",
                "session.timeout.ms",
                "heartbeat.interval.ms",
                "group.instance.id",
                "security.protocol",
                "sasl.mechanism",
                "ssl.truststore.location",
                "receive.buffer.bytes"
            })
    void whatOnlyTunesTheClientPasses(String key) {
        var config = PipelineText.postgres()
                .kafka("properties: { " + key + ": 5001 }")
                .config();
        assertThat(config.kafka().properties().plain()).containsOnlyKeys(key).containsEntry(key, "5001");
    }

    @Test
    void anUnknownKeyIsRefusedWithTheNearest() {
        assertThat(problems("max.poll.recrods: 5"))
                .containsExactly(
                        "source.kafka.properties.max.poll.recrods: is no consumer setting that is passed on; did you mean max.poll.records?");
        assertThat(problems("linger.ms: 5"))
                .containsExactly(
                        "source.kafka.properties.linger.ms: is no consumer setting that is passed on; remove it");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "com.sun.security.auth.module.JndiLoginModule required user.provider.url=\"ldap://x\";",
                "com.sun.security.auth.module.LdapLoginModule required;",
                "COM.SUN.SECURITY.AUTH.MODULE.LDAPLOGINMODULE required;",
                "org.x.PlainLoginModule required;",
                "PlainLoginModule required;",
                "org.apache.kafka.common.security.plain.PlainLoginModuleX required;",
                "/* org.apache.kafka.common.security.plain.PlainLoginModule */ org.x.Mine required;",
                "// org.apache.kafka.common.security.plain.PlainLoginModule required;\norg.x.Mine required;",
                "\"org.x.Mine\" required;",
                "{org.apache.kafka.common.security.plain.PlainLoginModule required;",
                "12345",
                ";"
            })
    void onlyLoginModulesOfTheClientAreRun(String line) {
        var yaml = "sasl.jaas.config: \"" + line.replace("\"", "\\\"").replace("\n", "\\n") + '"';
        assertThat(problems(yaml))
                .singleElement()
                .asString()
                .contains("names a login module that is none of the client's own", "or source.kafka.login")
                .doesNotContain("required");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "required; org.x.Mine optional;",
                "required username=\"a\" password=\"b\"; org.x.Mine required;",
                "required password=\"a\\\\\"; org.x.Mine required password=\"\";",
                "required password='a;\"'; org.x.Mine required;",
                "required/**/;org.x.Mine required;"
            })
    void oneLoginModuleIsAllAndNoQuoteHidesAnother(String rest) {
        var yaml = "sasl.jaas.config: '" + (LoginModuleLine.PLAIN + " " + rest).replace("'", "''") + "'";
        assertThat(problems(yaml))
                .singleElement()
                .asString()
                .contains("names more than one login module")
                .doesNotContain("Mine");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"a\" password=\"b;c\";",
                "org.apache.kafka.common.security.scram.ScramLoginModule required username='a' password='; x required;';",
                "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required clientId=\"a\"; // mine",
                "com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true keyTab=\"/k\" principal=\"p\";"
            })
    void theClientsOwnPass(String line) {
        assertThat(problems("sasl.jaas.config: '" + line.replace("'", "''") + "'"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sasl.kerberos.kinit.cmd: /tmp/mine",
                "sasl.login.class: org.x.Mine",
                "sasl.client.callback.handler.class: org.x.Mine",
                "ssl.provider: Mine",
                "sasl.login.callback.handler.class: org.x.Mine",
                "sasl.oauthbearer.jwt.retriever.class: org.x.Mine",
                "sasl.oauthbearer.jwt.validator.class: org.x.Mine"
            })
    void nothingThatIsPassedOnRunsForeignCode(String property) {
        assertThat(problems(property))
                .singleElement()
                .asString()
                .contains(property.substring(0, property.indexOf(':')) + ": ")
                .containsAnyOf("; leave it out", ", or leave it out");
    }

    @Test
    void theClassesThatTheClientBringsForOAuthPass() {
        var oauth = "org.apache.kafka.common.security.oauthbearer.";
        assertThat(problems("sasl.login.callback.handler.class: " + oauth + "OAuthBearerLoginCallbackHandler\n"
                        + "  sasl.oauthbearer.jwt.retriever.class: " + oauth + "FileJwtRetriever\n"
                        + "  sasl.oauthbearer.jwt.validator.class: " + oauth + "ClientJwtValidator"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ssl.enabled.protocols: TLSv1.1",
                "ssl.enabled.protocols: \"TLSv1.2, TLSv1\"",
                "ssl.enabled.protocols: TLSv1.3,SSLv3",
                "ssl.enabled.protocols: tlsv1",
                "ssl.enabled.protocols: \"\"",
                "ssl.protocol: TLSv1.1",
                "ssl.protocol: SSL"
            })
    void noTlsBeforeTwelve(String property) {
        assertThat(problems(property)).singleElement().asString().contains("a version of TLS before 1.2");
    }

    @Test
    void tlsOfTodayPasses() {
        assertThat(problems("ssl.enabled.protocols: TLSv1.3, TLSv1.2\n  ssl.protocol: TLSv1.3"))
                .isEmpty();
    }

    @Test
    @DisplayName("CFG-9: a login becomes what the client takes, encrypted where nothing else is said")
    void aLoginBecomesClientSettings() {
        var login = "login: { mechanism: SCRAM-SHA-512, user: me, password: \"${PASSWORD}\" }";
        var config = PipelineText.postgres().kafka(login).config();
        assertThat(config.kafka().properties().reveal())
                .containsExactly(
                        Map.entry(
                                "sasl.jaas.config",
                                LoginModuleLine.SCRAM + " required username=\"me\" password=\"hunter2\";"),
                        Map.entry("sasl.mechanism", "SCRAM-SHA-512"),
                        Map.entry("security.protocol", "SASL_SSL"));
        assertThat(config.toString()).doesNotContain("hunter2");
        assertThat(SecretValues.of(config)).contains("hunter2").doesNotContain("me");
        assertThat(PipelineText.postgres()
                        .kafka(login.replace("SCRAM-SHA-512", "PLAIN")
                                + "\nproperties: { security.protocol: SASL_PLAINTEXT }")
                        .config()
                        .kafka()
                        .properties()
                        .plain())
                .containsEntry("security.protocol", "SASL_PLAINTEXT")
                .containsEntry("sasl.mechanism", "PLAIN");
    }

    @Test
    void aLoginIsSaidOnceAndUsed() {
        var login = "login: { mechanism: PLAIN, user: me, password: \"${PASSWORD}\" }\n";
        assertThat(PipelineText.postgres()
                        .kafka(login + "properties: { sasl.mechanism: PLAIN, sasl.jaas.config: \""
                                + LoginModuleLine.PLAIN + " required;\", security.protocol: SSL }")
                        .problems())
                .containsExactlyInAnyOrder(
                        "source.kafka.properties.sasl.jaas.config: is made of source.kafka.login; leave it out, or login",
                        "source.kafka.properties.sasl.mechanism: is made of source.kafka.login; leave it out, or login",
                        "source.kafka.properties.security.protocol: has no login, and source.kafka.login is one; use SASL_SSL, or leave it out");
    }

    @Test
    void secretsAreHeldApartAndPrintAsStars() {
        var properties = PipelineText.postgres().kafka("""
                        properties:
                          sasl.jaas.config: "org.apache.kafka.common.security.plain.PlainLoginModule required password=${PASSWORD};"
                          ssl.keystore.password: ${PASSWORD}
                          client.id: a
                        """).config().kafka().properties();
        assertThat(properties.toString()).doesNotContain("hunter2").contains("client.id=a");
        assertThat(properties.plain()).containsOnlyKeys("client.id");
        assertThat(properties.reveal())
                .containsEntry("ssl.keystore.password", "hunter2")
                .containsEntry("sasl.jaas.config", LoginModuleLine.PLAIN + " required password=hunter2;")
                .containsEntry("client.id", "a");
    }

    @Test
    void aSecretInClearAndAHostCheckSwitchedOffAreWarnedAbout() {
        var text = PipelineText.postgres()
                .kafka("properties: { ssl.key.password: abc, ssl.endpoint.identification.algorithm: \"\" }");
        assertThat(text.warnings())
                .containsExactly(
                        "source.kafka.properties.ssl.key.password: stands in the file in clear; use ${file:/run/secrets/…} or ${VAR}",
                        "source.kafka.properties.ssl.endpoint.identification.algorithm: switches the check of the brokers' host names off; leave it out to check them");
    }

    @Test
    void oneStaticMemberOnly() {
        assertThat(problems("group.instance.id: a")).isEmpty();
        assertThat(PipelineText.postgres()
                        .kafka("consumers: 2\nproperties: { group.instance.id: a }")
                        .problems())
                .containsExactly("source.kafka.properties.group.instance.id: conflicts with consumers: 2, "
                        + "as members of one id fence each other; set consumers to 1 or leave it out");
    }

    private static List<String> problems(String property) {
        return PipelineText.postgres().kafka("properties:\n  " + property).problems();
    }
}
