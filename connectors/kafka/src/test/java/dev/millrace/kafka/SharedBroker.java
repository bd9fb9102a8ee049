package dev.millrace.kafka;

import dev.millrace.lab.BrokerSettings;
import dev.millrace.lab.EmbeddedBroker;
import dev.millrace.lab.Topics;
import java.util.UUID;

/// One broker for all tests of this JVM that do not stop it, and fresh names for each of them.
final class SharedBroker {
    private static final class Holder {
        // Records of long ago are what some tests are about: nothing takes them away while these run.
        static final EmbeddedBroker BROKER = EmbeddedBroker.launch(quick(BrokerSettings.small())
                .with("log.cleaner.backoff.ms", "100")
                .with("log.initial.task.delay.ms", "86400000"));
        static final Topics TOPICS = new Topics(BROKER.bootstrapServers());

        static {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                TOPICS.close();
                BROKER.close();
            }));
        }
    }

    private SharedBroker() {}

    /// Members of the new protocol hear of a change as soon as those of the old one, which say themselves how often
    /// their hearts beat.
    static BrokerSettings quick(BrokerSettings settings) {
        return settings.with("group.consumer.min.heartbeat.interval.ms", "300")
                .with("group.consumer.heartbeat.interval.ms", "300")
                .with("group.consumer.min.session.timeout.ms", "3000")
                .with("group.consumer.session.timeout.ms", "20000");
    }

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
