package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What is taken out of a text, and what stays in it.
@Tag("CFG-5")
final class RedactionTest {
    private static Redaction of(String jaas) {
        return Redaction.of(PipelineText.postgres()
                .kafka("properties: { sasl.jaas.config: '" + jaas + "' }")
                .config());
    }

    @Test
    @DisplayName("CFG-5: of a login module's options only those that are secrets are taken out of other texts")
    void onlyOptionsThatAreSecretsAreTakenOut() {
        var kerberos = of("com.sun.security.auth.module.Krb5LoginModule required useTicketCache=true storeKey=true"
                + " serviceName=\"kafka\" principal=\"millrace@EXAMPLE\";");
        assertThat(kerberos.of("it is true that kafka knows millrace@EXAMPLE"))
                .isEqualTo("it is true that kafka knows millrace@EXAMPLE");
        var plain = of("org.apache.kafka.common.security.plain.PlainLoginModule required username=\"ingest\""
                + " password=\"swordfish\";");
        assertThat(plain.of("ingest says swordfish")).isEqualTo("ingest says ***");
        var tokens = of("org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required"
                + " clientId=\"ingest\" clientSecret=\"swordfish\" scope=\"orders\";");
        assertThat(tokens.of("ingest reads orders by swordfish")).isEqualTo("ingest reads orders by ***");
    }

    @Test
    @DisplayName("CFG-5: where a text was cut in the middle of a secret, what is left of it is taken out too")
    void theRestOfASecretThatWasCutIsTakenOut() {
        var redaction = new Redaction(List.of("swordfish-and-chips", "swordfish"));
        assertThat(redaction.of("HTTP 400 (swordfish-and…)")).isEqualTo("HTTP 400 (***…)");
        assertThat(redaction.of("HTTP 400 (swor…) and swo… and swordf…"))
                .isEqualTo("HTTP 400 (***…) and swo… and ***…");
        assertThat(redaction.of("swor…")).isEqualTo("***…");
        assertThat(redaction.of("a sword…fish-and-chips, a sword…ips")).isEqualTo("a ***…***, a ***…ips");
        assertThat(redaction.of("… nothing…")).isEqualTo("… nothing…");
    }

    @Test
    void aHeaderWithALoginIsTakenOut() {
        for (var login : List.of("Bearer abc.def", "Basic abc=", "abc.def"))
            assertThat(Redaction.NONE.of("sent Authorization: " + login + ", and Cookie: a=b; c"))
                    .startsWith("sent Authorization: ")
                    .contains("***, and Cookie: ***; c")
                    .doesNotContain("abc");
        assertThat(Redaction.NONE.of("{\"authorization\": \"Bearer abc\"}")).isEqualTo("{\"authorization\": ***}");
        assertThat(Redaction.NONE.of("authorization failed")).isEqualTo("authorization failed");
    }
}
