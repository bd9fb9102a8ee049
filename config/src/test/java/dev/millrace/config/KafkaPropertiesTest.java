package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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
        assertThat(config.source().properties().plain()).containsOnlyKeys(key).containsEntry(key, "5001");
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
                "COM.SUN.SECURITY.AUTH.MODULE.LDAPLOGINMODULE required;",
                "org.x.PlainLoginModule required; com.sun.security.auth.module.LdapLoginModule optional;"
            })
    void loginModulesThatRunForeignCodeAreRefused(String jaas) {
        assertThat(problems("sasl.jaas.config: '" + jaas + "'"))
                .hasSize(1)
                .first()
                .asString()
                .contains("may not name a JNDI or LDAP login module")
                .doesNotContain("required");
    }

    @Test
    void secretsAreHeldApartAndPrintAsStars() {
        var properties = PipelineText.postgres().kafka("""
                        properties:
                          sasl.jaas.config: "org.x.PlainLoginModule required password=${PASSWORD};"
                          ssl.keystore.password: ${PASSWORD}
                          client.id: a
                        """).config().source().properties();
        assertThat(properties.toString()).doesNotContain("hunter2").contains("client.id=a");
        assertThat(properties.plain()).containsOnlyKeys("client.id");
        assertThat(properties.reveal())
                .containsEntry("ssl.keystore.password", "hunter2")
                .containsEntry("sasl.jaas.config", "org.x.PlainLoginModule required password=hunter2;")
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
