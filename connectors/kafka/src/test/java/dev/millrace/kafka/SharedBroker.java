package dev.millrace.kafka;

import dev.millrace.lab.BrokerSettings;
import dev.millrace.lab.EmbeddedBroker;
import dev.millrace.lab.Topics;
import java.util.UUID;

/// One broker for all tests of this JVM that do not stop it, and fresh names for each of them.
final class SharedBroker {
    private static final class Holder {
        static final EmbeddedBroker BROKER =
                EmbeddedBroker.launch(BrokerSettings.small().with("log.cleaner.backoff.ms", "100"));
        static final Topics TOPICS = new Topics(BROKER.bootstrapServers());

        static {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                TOPICS.close();
                BROKER.close();
            }));
        }
    }

    private SharedBroker() {}

    static String bootstrap() {
        return Holder.BROKER.bootstrapServers();
    }

    static Topics topics() {
        return Holder.TOPICS;
    }

    static String fresh(String prefix) {
        return prefix + "-" + UUID.randomUUID().toString().substring(0, 8);
    }
}
