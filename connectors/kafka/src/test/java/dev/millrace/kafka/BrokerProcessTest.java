package dev.millrace.kafka;

import dev.millrace.lab.BrokerProcess;

final class BrokerProcessTest extends BrokerContract {
    @Override
    Running launch() {
        var broker = BrokerProcess.launch();
        return new Running(broker.bootstrapServers(), broker);
    }
}
