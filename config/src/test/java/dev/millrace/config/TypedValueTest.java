package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("CFG-3")
class TypedValueTest {
    static final DurationType DURATION = DurationType.between("0s", "1000h");
    static final SizeType SIZE = SizeType.between("0B", "1000000GiB");

    @ParameterizedTest
    @CsvSource({"250ms,PT0.25S", "5s,PT5S", "2m,PT2M", "1h,PT1H", "0s,PT0S", "007s,PT7S", "90s,PT1M30S"})
    void durationsHaveAUnit(String text, Duration duration) {
        assertThat(read(DURATION, text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "5", "5.5s", "-5s", "+5s", "5 s", "5S", "5sec", "s", "", "5ms5", "1d", "PT5S", "٥s", "1_000ms", "0x5s",
                "1e3s", "5us"
            })
    void otherDurationsAreRefused(String text) {
        assertThat(read(DURATION, text)).asString().startsWith("refused");
    }

    @ParameterizedTest
    @CsvSource({"7B,7", "64KiB,65536", "128MiB,134217728", "1GiB,1073741824", "0B,0"})
    void sizesHaveAUnit(String text, long bytes) {
        assertThat(read(SIZE, text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "64",
                "64KB",
                "64K",
                "64k",
                "64mb",
                "64kib",
                "1.5GiB",
                "-1B",
                "64 KiB",
                "KiB",
                "",
                "1TiB",
                "99999999999GiB"
            })
    void otherSizesAreRefused(String text) {
        assertThat(read(SIZE, text)).asString().startsWith("refused");
    }

    @ParameterizedTest
    @CsvSource({
        "60%,60.0",
        "1%,1.0",
        "100%,100.0",
        "0.5%,refused",
        "0%,refused",
        "101%,refused",
        "60,refused",
        "60 %,refused",
        "%,refused",
        "1e1%,refused",
        "NaN%,refused",
        "-1%,refused",
        "12.5%,12.5"
    })
    void percentagesHaveTheirSign(String text, String becomes) {
        assertThat(read(new PercentType(1, 100), text)).asString().startsWith(becomes);
    }

    @ParameterizedTest
    @CsvSource({
        "1,1",
        "50,50",
        "unlimited,2147483647",
        "0,refused",
        "51,refused",
        "Unlimited,refused",
        "0123,refused",
        "1e1,refused",
        "1_0,refused",
        "+1,refused",
        "1.0,refused",
        "99999999999999999999,refused",
        "4294967297,refused",
        "٣,refused"
    })
    void countsAreWholeNumbers(String text, String becomes) {
        assertThat(read(CountType.between(1, 50).orUnlimited(), text))
                .asString()
                .startsWith(becomes);
    }

    @ParameterizedTest
    @CsvSource({
        "0.2,0.2",
        "1,1.0",
        "0,0.0",
        ".5,refused",
        "1.5,refused",
        "NaN,refused",
        "Infinity,refused",
        "1e-1,refused",
        "-0.1,refused",
        "0x1p0,refused",
        "1d,refused"
    })
    void numbersArePlain(String text, String becomes) {
        assertThat(read(new DecimalType(0, 1), text)).asString().startsWith(becomes);
    }

    @Test
    void whatYamlWouldTypeStaysTextUntilAKeyTypesIt() {
        var text = PipelineText.postgres()
                .with("name: storefront", "name: NO")
                .with("group_id: storefront-ingest", "group_id: 0123");
        var config = text.with("user: ingest", "user: on")
                .with("[orders, payments]", "[1e3, 2026-11-29, true, .5]")
                .config();
        assertThat(config.name()).isEqualTo("NO");
        assertThat(config.kafka().groupId()).isEqualTo("0123");
        assertThat(((PostgresConfig) config.sinks().getFirst().kind()).user()).isEqualTo("on");
        assertThat(config.source().topics()).isEqualTo(new Topics.Listed(List.of("1e3", "2026-11-29", "true", ".5")));
    }

    @ParameterizedTest
    @CsvSource({"a:1,a:1", "[::1]:9090,[::1]:9090", "127.0.0.1:0,127.0.0.1:0", "kafka_1.x-y:65535,kafka_1.x-y:65535"})
    void addressesAreHostAndPort(String text, String shown) {
        assertThat(HostPort.parse(text)).hasToString(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                "a",
                "a:",
                ":1",
                "a:65536",
                "a:-1",
                "a:1x",
                "a b:1",
                "::1:9090",
                "[a]:1",
                "[::1]",
                "a@b:1",
                "http://a:1",
                "a:٣",
                "a/b:1"
            })
    void otherAddressesAreRefused(String text) {
        assertThat(HostPort.parse(text)).isNull();
    }

    @Test
    void sizesForPeopleHaveOneDecimal() {
        assertThat(SizeType.text(644_245_094)).isEqualTo("614.4MiB");
        assertThat(SizeType.text(1023)).isEqualTo("1023B");
        assertThat(SizeType.text(2L << 40)).isEqualTo("2048GiB");
    }

    @Test
    void topicsAsTextAreForPeople() {
        assertThat(new Topics.Listed(List.of("orders", "payments"))).hasToString("orders, payments");
        assertThat(new Topics.Matching("orders\\..*")).hasToString("all that match orders\\..*");
    }

    @Test
    void recordsRefuseWhatCannotBe() {
        assertThatThrownBy(() -> new BatchConfig(0, 1, Duration.ofSeconds(1), 4))
                .hasMessage("maxRows 0 < 1");
        assertThatThrownBy(() -> new InflightConfig(0, 1)).hasMessage("maxPerShard 0 < 1");
        assertThatThrownBy(() -> new InflightConfig(1, 0)).hasMessage("maxTotal 0 < 1");
        assertThatThrownBy(() -> new HostPort("a b", 1)).hasMessage("host \"a b\" is not allowed");
        assertThatThrownBy(() -> new ShardConfig("s0", List.of())).hasMessage("endpoints 0 < 1");
        assertThatThrownBy(() -> new AdmissionConfig(1, 1, Double.NaN))
                .hasMessage("resumeBelowPercent NaN not in (0, 100]");
        assertThatThrownBy(() -> new RetryConfig(Duration.ofSeconds(2), Duration.ofSeconds(1), 2, 0, 1))
                .hasMessage("max PT1S < initial PT2S");
        assertThatThrownBy(() -> new Topics.Listed(List.of("a", "a"))).hasMessage("distinct topics 1 < 2");
    }

    static Object read(ScalarType<?> type, String text) {
        return switch (type.parse(Text.literal(text))) {
            case Parsed.Good<?>(var value) -> value;
            case Parsed.Bad<?>(var message) -> "refused: " + message;
        };
    }
}
