package dev.millrace.kafka;

import dev.millrace.lab.EmbeddedBroker;

final class EmbeddedBrokerTest extends BrokerContract {
    @Override
    Running launch() {
        var broker = EmbeddedBroker.launch();
        return new Running(broker.bootstrapServers(), broker);
    }
}
