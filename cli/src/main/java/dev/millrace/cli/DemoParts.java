package dev.millrace.cli;

import dev.millrace.lab.EmbeddedBroker;
import dev.millrace.lab.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The real parts under the demo: one broker, and a store of two shards.
final class DemoParts implements AutoCloseable {
    static final String TOPIC = "orders";
    private static final int PARTITIONS = 6;

    private final EmbeddedBroker broker;
    private final DemoStore store;

    DemoParts(DemoStore store) {
        this.store = store;
        broker = EmbeddedBroker.launch();
        try (var topics = new Topics(broker.bootstrapServers())) {
            topics.create(TOPIC, PARTITIONS);
        }
    }

    String bootstrapServers() {
        return broker.bootstrapServers();
    }

    DemoStore store() {
        return store;
    }

    /// Of the replica that the demo cuts.
    String victimEndpoint() {
        return store.endpoint(DemoStore.replicas() - 1);
    }

    /// `warehouse/s1 b` for an endpoint of this demo.
    String nameOf(String endpoint) {
        var perShard = DemoStore.REPLICAS.size();
        for (var i = 0; i < DemoStore.replicas(); i++) {
            if (store.endpoint(i).equals(endpoint))
                return "warehouse/" + DemoStore.SHARDS.get(i / perShard) + " " + DemoStore.REPLICAS.get(i % perShard);
        }
        return endpoint;
    }

    Path writePipelineFile() throws IOException {
        var shards = new StringBuilder();
        for (var s = 0; s < DemoStore.SHARDS.size(); s++) {
            var first = s * DemoStore.REPLICAS.size();
            shards.append("      %s: [\"%s\", \"%s\"]%n"
                    .formatted(DemoStore.SHARDS.get(s), store.endpoint(first), store.endpoint(first + 1)));
        }
        var text = """
                pipeline:
                  name: demo
                source:
                  kafka:
                    bootstrap_servers: %s
                    topics: [%s]
                    group_id: millrace-demo
                    on_no_offset: earliest
                format:
                  json: {}
                sinks:
                  warehouse:
                    %s
                    shards:
                %s    batch: { linger: 500ms, max_cuts: 100 }
                    write: { timeout: 2s }
                    breaker: { failures: 2, open_for: 1s }
                checkpoint:
                  interval: 1s
                admin:
                  listen: 127.0.0.1:0
                """.formatted(broker.bootstrapServers(), TOPIC, store.section(), shards);
        var file = Files.createTempFile("millrace-demo-", ".yaml");
        return Files.writeString(file, text);
    }

    @Override
    public void close() {
        broker.close();
    }
}
