package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.Configuration;
import dev.millrace.config.KafkaClientKeys;
import dev.millrace.config.ReadResult;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.security.JaasContext;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The line of a login module, held against the client's own reading of it.
@Tag("CFG-9")
final class LoginLineTest {
    private static final String PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule";
    private static final String KERBEROS = "com.sun.security.auth.module.Krb5LoginModule";
    private static final Set<String> FINE = Set.of(PLAIN, KERBEROS);

    /// What a quote, a comment, an escape or an end is made of, and what is neither.
    private static final List<String> PIECES = List.of(
            "\"",
            "'",
            "\\",
            ";",
            "=",
            " ",
            "\n",
            "\r",
            "\t",
            "//",
            "/*",
            "*/",
            "#",
            "\\n",
            "\\101",
            "$",
            "${x}",
            "{",
            "}",
            "-",
            "_",
            "1",
            "required",
            "optional",
            "org.x.Mine",
            "password",
            "é",
            "語",
            "😀",
            "\u0000",
            "\u2028",
            PLAIN,
            KERBEROS);

    private static final String FILE = """
            pipeline: { name: shop }
            source:
              kafka:
                bootstrap_servers: localhost:9092
                topics: [orders]
                group_id: shop
                login: { mechanism: PLAIN, user: "${WHO}", password: "${WORD}" }
            sinks: { hole: { blackhole: {} } }
            """;

    private static String text(Random random) {
        var text = new StringBuilder("x");
        for (var i = random.nextInt(8); i >= 0; i--) text.append(PIECES.get(random.nextInt(PIECES.size())));
        return text.toString();
    }

    private static List<AppConfigurationEntry> read(String line) {
        return JaasContext.loadClientContext(Map.of("sasl.jaas.config", new Password(line)))
                .configurationEntries();
    }

    @Test
    @DisplayName("CFG-9: any user and password reach the login module as they are, and nothing else does")
    void whateverAPasswordHoldsItIsThePasswordAndNoMore() {
        for (var seed = 0; seed < 3_000; seed++) {
            var random = new Random(seed);
            var who = text(random).replaceAll("[\\p{Cntrl}\u2028]", "");
            var word = text(random);
            var loaded = Configuration.read("pipeline.yaml", FILE, name -> name.equals("WHO") ? who : word);
            if (!(loaded instanceof ReadResult.Loaded(var config, var _)))
                throw new AssertionError("seed " + seed + ": " + loaded);
            var line = config.kafka().properties().reveal().get("sasl.jaas.config");
            assertThat(read(String.valueOf(line)))
                    .as("seed %d", seed)
                    .singleElement()
                    .satisfies(entry -> {
                        assertThat(entry.getLoginModuleName()).isEqualTo(PLAIN);
                        assertThat(Map.<String, Object>copyOf(entry.getOptions()))
                                .isEqualTo(Map.of("username", who, "password", word));
                    });
            assertThat(KafkaClientKeys.refusedValue("sasl.jaas.config", String.valueOf(line)))
                    .isNull();
        }
    }

    @Test
    @DisplayName("CFG-9: what passes names no other login module to the client, however it is quoted")
    void whatPassesNamesNoOtherLoginModule() {
        var passed = 0;
        var read = 0;
        for (var seed = 0; seed < 30_000; seed++) {
            var random = new Random(seed);
            var line = new StringBuilder(random.nextInt(4) == 0 ? "" : PLAIN + " required ");
            for (var i = random.nextInt(12); i >= 0; i--) {
                line.append(PIECES.get(random.nextInt(PIECES.size())));
                if (random.nextBoolean()) line.append(' ');
            }
            if (random.nextBoolean()) line.append(';');
            if (KafkaClientKeys.refusedValue("sasl.jaas.config", line.toString()) != null) continue;
            passed++;
            try {
                assertThat(read(line.toString()))
                        .as("seed %d: %s", seed, line)
                        .singleElement()
                        .extracting(AppConfigurationEntry::getLoginModuleName)
                        .isIn(FINE);
                read++;
            } catch (IllegalArgumentException | KafkaException refusedByTheClient) {
                assertThat(refusedByTheClient).hasMessageNotContaining("login modules, should be 1");
            }
        }
        assertThat(passed).as("lines that pass").isGreaterThan(1_000);
        assertThat(read).as("lines that the client takes").isGreaterThan(100);
    }

    @Test
    void whoMakesTheClientsLooksAtTheLineToo() {
        assertThat(KafkaClients.refused(Map.of("sasl.jaas.config", "org.x.Mine required;")))
                .containsOnlyKeys("sasl.jaas.config");
        assertThat(KafkaClients.refused(Map.of("ssl.enabled.protocols", "TLSv1.1")))
                .containsOnlyKeys("ssl.enabled.protocols");
    }

    @Test
    @DisplayName("CFG-5: the source's own settings print names of properties, and no value of them")
    void whatTheSourceIsToldPrintsNoSecret() {
        var settings = Bench.settings().properties(Map.of("ssl.key.password", "hunter2", "client.rack", "eu-1"));
        assertThat(settings.toString())
                .contains("ssl.key.password", "client.rack")
                .doesNotContain("hunter2", "eu-1");
    }
}
