package dev.millrace.config;

import java.util.HashMap;
import java.util.Map;

/// A user and a password by which the brokers are logged in to, by SASL.
public record KafkaLogin(Mechanism mechanism, String user, Secret password) {

    /// How the password is shown: PLAIN sends it, the others prove that it is known.
    public enum Mechanism {
        PLAIN("PLAIN", LoginModuleLine.PLAIN),
        SCRAM_SHA_256("SCRAM-SHA-256", LoginModuleLine.SCRAM),
        SCRAM_SHA_512("SCRAM-SHA-512", LoginModuleLine.SCRAM);

        private final String word;
        private final String module;

        Mechanism(String word, String module) {
            this.word = word;
            this.module = module;
        }

        /// As Kafka and the file call it.
        public String word() {
            return word;
        }
    }

    /// The same client settings with those of this login, encrypted where they say nothing of it.
    KafkaProperties with(KafkaProperties properties) {
        var plain = new HashMap<>(properties.plain());
        var secret = new HashMap<>(properties.secret());
        if (!properties.names().contains("security.protocol")) plain.put("security.protocol", "SASL_SSL");
        plain.put("sasl.mechanism", mechanism.word);
        secret.put("sasl.jaas.config", Secret.of(LoginModuleLine.of(mechanism.module, user, password.reveal())));
        return new KafkaProperties(Map.copyOf(plain), Map.copyOf(secret));
    }
}
