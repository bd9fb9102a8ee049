package dev.millrace.kafka;

import static org.junit.jupiter.api.Assumptions.abort;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.kafka.KafkaContainer;

/// The contract against Apache's own image. Skipped, aloud, where there is no Docker engine.
final class ContainerBrokerTest extends BrokerContract {
    private static final String IMAGE = "apache/kafka:4.3.1";

    @Override
    @SuppressWarnings("SystemOut") // who reads the build's output sees that nothing ran here
    Running launch() {
        if (!DockerClientFactory.instance().isDockerAvailable()) {
            var reason = "SKIPPED: the broker contract against " + IMAGE + ", for there is no Docker engine here";
            System.out.println(reason);
            abort(reason);
        }
        var broker = new KafkaContainer(IMAGE);
        broker.start();
        return new Running(broker.getBootstrapServers(), broker);
    }
}
