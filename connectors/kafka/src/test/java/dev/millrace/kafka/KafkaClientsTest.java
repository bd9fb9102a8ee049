package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.config.KafkaClientDefaults;
import dev.millrace.config.KafkaClientKeys;
import dev.millrace.config.KafkaSourceConfig;
import dev.millrace.kafka.KafkaSourceSettings.GroupProtocol;
import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class KafkaClientsTest {
    private static KafkaClients with(Map<String, String> properties) {
        return new KafkaClients(Bench.settings().properties(properties));
    }

    @Test
    @Tag("CFG-9")
    void aValueThatTheClientDoesNotTakeIsRefusedByItsNameBeforeAnythingRuns() {
        assertThatThrownBy(() -> with(Map.of("max.poll.interval.ms", "5m", "fetch.min.bytes", "-7")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("max.poll.interval.ms", "fetch.min.bytes")
                .hasMessageNotContainingAny("5m", "-7");
    }

    @Test
    @Tag("CFG-9")
    void theBoundOfAPollLoopIsReadAsTheClientReadsIt() {
        assertThat(with(Map.of("max.poll.interval.ms", " 60000 ")).maxPollIntervalNanos())
                .isEqualTo(TimeUnit.SECONDS.toNanos(60));
        assertThat(with(Map.of()).maxPollIntervalNanos()).isEqualTo(TimeUnit.MINUTES.toNanos(5));
    }

    @Test
    @Tag("CFG-9")
    void propertiesThatWouldBreakAGuaranteeAreRefusedWithTheReason() {
        var refused = KafkaClients.refused(Map.of(
                "enable.auto.commit",
                "true",
                "isolation.level",
                "read_uncommitted",
                "fetch.min.bytes",
                "64",
                "fetch.min.byte",
                "1"));
        assertThat(refused).containsOnlyKeys("enable.auto.commit", "isolation.level", "fetch.min.byte");
        assertThat(refused.get("enable.auto.commit")).contains("durable");
        assertThatThrownBy(() -> new KafkaClients(Bench.settings().properties(Map.of("auto.offset.reset", "latest"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("auto.offset.reset");
    }

    @Test
    @Tag("CFG-9")
    void ourDefaultsGiveWayToAUsersAndOwnedOnesDoNot() {
        var properties = new KafkaClients(Bench.settings()
                        .consumers(2)
                        .properties(Map.of("max.poll.records", "7", "group.instance.id", "blue")))
                .consumerProperties(1, 4);
        assertThat(properties)
                .containsEntry("max.poll.records", "7")
                .containsEntry("group.instance.id", "blue-1")
                .containsEntry("fetch.max.bytes", "16777216")
                .containsEntry("isolation.level", "read_committed")
                .containsEntry("auto.offset.reset", "none")
                .containsEntry("enable.auto.commit", "false")
                .containsEntry("group.protocol", "classic");
    }

    @Test
    @Tag("SRC-14")
    void whileARecordIsLeftOutNoPollUnpacksMoreThanOne() {
        var settings = Bench.settings().properties(Map.of("max.poll.records", "7"));
        var skip = new KafkaSourceSettings.Skip("orders", 3, 200, 201);
        assertThat(new KafkaClients(settings.skips(List.of(skip))).consumerProperties(0, 4))
                .containsEntry("max.poll.records", "1");
        assertThat(skip.from("orders", 3, 199)).isEqualTo(199);
        assertThat(skip.from("orders", 3, 200)).isEqualTo(202);
        assertThat(skip.from("orders", 3, 201)).isEqualTo(202);
        assertThat(skip.from("orders", 3, 202)).isEqualTo(202);
        assertThat(skip.from("orders", 2, 200)).isEqualTo(200);
        assertThat(skip.from("other", 3, 200)).isEqualTo(200);
    }

    @Test
    @Tag("POI-5")
    @Tag("CFG-9")
    void whatAUserSaysOfTheConnectionReachesTheClientsOfDeadLetters() {
        var connection = Map.of(
                "security.protocol", "SASL_SSL",
                "sasl.mechanism", "PLAIN",
                "sasl.jaas.config", "org.apache.kafka.common.security.plain.PlainLoginModule required;",
                "ssl.truststore.location", "/trust.jks",
                "reconnect.backoff.ms", "70");
        var all = new TreeMap<>(connection);
        all.putAll(Map.of(
                "group.instance.id", "blue",
                "fetch.min.bytes", "1000000",
                "fetch.max.wait.ms", "30000",
                "fetch.max.bytes", "900000000",
                "max.poll.records", "1",
                "request.timeout.ms", "600000"));
        var clients = with(all);
        assertThat(clients.originalsProperties())
                .containsAllEntriesOf(connection)
                .doesNotContainKeys("group.id", "group.instance.id")
                .containsEntry("fetch.min.bytes", 1)
                .containsEntry("fetch.max.wait.ms", 100)
                .containsEntry("fetch.max.bytes", 1 << 20)
                .containsEntry("max.poll.records", 500);
        assertThat(clients.deadLetterProperties())
                .containsAllEntriesOf(connection)
                .containsEntry("acks", "all")
                .containsEntry("enable.idempotence", true)
                .doesNotContainKeys("fetch.min.bytes", "group.instance.id");
        var here = KafkaSourceSettings.of("127.0.0.1:1", new Subscription.Named(List.of("orders")), "group");
        var plain =
                new KafkaClients(here.properties(Map.of("fetch.min.bytes", "1000000", "request.timeout.ms", "600000")));
        plain.originals().close();
        plain.deadLetterProducer().close();
    }

    @Test
    @Tag("CFG-9")
    void everySettingOfTheClientIsEitherPassedOnOrRefusedWithAReason() {
        for (var name : ConsumerConfig.configNames()) {
            if (name.startsWith("internal.")) continue;
            var refusal = KafkaClientKeys.refusal(name);
            if (refusal != null) assertThat(refusal).as(name).startsWith("may not be set: ");
        }
        assertThat(ConsumerConfig.configNames()).containsAll(KafkaClientKeys.allowed());
    }

    @Test
    @Tag("SRC-14")
    @DisplayName("SRC-14: what a member may have fetched of many partitions is one answer, and a MiB of each")
    void manyPartitionsAreFetchedInSmallerPieces() {
        var two = new KafkaClients(Bench.settings().consumers(2));
        assertThat(two.consumerProperties(0, 8)).containsEntry("max.partition.fetch.bytes", "4194304");
        assertThat(two.consumerProperties(0, 16)).containsEntry("max.partition.fetch.bytes", "2097152");
        assertThat(two.consumerProperties(0, 5000)).containsEntry("max.partition.fetch.bytes", "1048576");
        var larger = new KafkaClients(Bench.settings().properties(Map.of("fetch.max.bytes", "67108864")));
        assertThat(larger.consumerProperties(0, 32)).containsEntry("max.partition.fetch.bytes", "2097152");
        var said = new KafkaClients(Bench.settings().properties(Map.of("max.partition.fetch.bytes", "9000000")));
        assertThat(said.consumerProperties(0, 5000)).containsEntry("max.partition.fetch.bytes", "9000000");
    }

    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    @Tag("CFG-5")
    @Tag("CFG-9")
    void theClientIsMadeOfWhatExplainTells(GroupProtocol protocol) {
        var clients = new KafkaClients(Bench.settings().groupProtocol(protocol));
        var owned = KafkaClientDefaults.owned(KafkaSourceConfig.GroupProtocol.valueOf(protocol.name()));
        var told = new TreeMap<String, Object>(KafkaClientDefaults.givingWay());
        told.putAll(owned);
        var made = new TreeMap<>(clients.consumerProperties(0, 4));
        made.keySet().removeAll(Set.of("bootstrap.servers", "group.id", "client.id"));
        made.replaceAll((_, value) -> value.toString());
        assertThat(made).isEqualTo(told);
        assertThat(owned.keySet())
                .allSatisfy(name -> assertThat(KafkaClientKeys.refusal(name)).isNotNull());
    }
}
