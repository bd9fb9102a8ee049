package dev.millrace.cli;

import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.EmbeddedBroker;
import dev.millrace.lab.LabPostgres;
import dev.millrace.lab.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The real parts under the demo: one broker, one PostgreSQL server with a database for each shard, and two
/// proxies before each database, which are the replicas.
final class DemoParts implements AutoCloseable {
    static final String TOPIC = "orders";
    private static final int PARTITIONS = 6;
    private static final List<String> SHARDS = List.of("s0", "s1");
    private static final List<String> REPLICAS = List.of("a", "b");
    private static final String TABLE =
            "create table orders (order_id bigint primary key, customer text not null, amount numeric(10, 2) not null,"
                    + " placed_at timestamptz not null)";

    private final EmbeddedBroker broker;
    private final LabPostgres postgres;
    private final List<ChaosProxy> proxies = new ArrayList<>();

    DemoParts() {
        broker = EmbeddedBroker.launch();
        postgres = LabPostgres.launch();
        for (var shard : SHARDS) {
            postgres.createDatabase(shard);
            postgres.execute(shard, TABLE);
            for (var _ : REPLICAS) proxies.add(ChaosProxy.launch(postgres.host(), postgres.port()));
        }
        try (var topics = new Topics(broker.bootstrapServers())) {
            topics.create(TOPIC, PARTITIONS);
        }
    }

    String bootstrapServers() {
        return broker.bootstrapServers();
    }

    /// The proxy that the demo cuts.
    ChaosProxy victim() {
        return proxies.getLast();
    }

    String victimEndpoint() {
        return endpoint(proxies.size() - 1);
    }

    private String endpoint(int index) {
        var shard = SHARDS.get(index / REPLICAS.size());
        return "postgres://127.0.0.1:" + proxies.get(index).port() + "/" + shard;
    }

    /// `warehouse/s1 b` for an endpoint of this demo.
    String nameOf(String endpoint) {
        for (var i = 0; i < proxies.size(); i++) {
            if (endpoint(i).equals(endpoint))
                return "warehouse/" + SHARDS.get(i / REPLICAS.size()) + " " + REPLICAS.get(i % REPLICAS.size());
        }
        return endpoint;
    }

    /// Rows in all databases. Primary keys keep each order in its database once.
    long rowsStored() {
        return SHARDS.stream()
                .mapToLong(shard -> postgres.count(shard, "orders"))
                .sum();
    }

    List<String> databases() {
        return SHARDS.stream().map(postgres::jdbcUrl).toList();
    }

    Path writePipelineFile() throws IOException {
        var shards = new StringBuilder();
        for (var s = 0; s < SHARDS.size(); s++) {
            var first = s * REPLICAS.size();
            shards.append("      %s: [%s, %s]%n".formatted(SHARDS.get(s), endpoint(first), endpoint(first + 1)));
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
                    postgres:
                      table: orders
                      user: %s
                      password: none-needed
                      on_conflict: ignore
                    shards:
                %s    batch: { linger: 500ms }
                    write: { timeout: 2s }
                    breaker: { failures: 2, open_for: 1s }
                checkpoint:
                  interval: 1s
                admin:
                  listen: 127.0.0.1:0
                """.formatted(broker.bootstrapServers(), TOPIC, postgres.user(), shards);
        var file = Files.createTempFile("millrace-demo-", ".yaml");
        return Files.writeString(file, text);
    }

    @Override
    public void close() {
        proxies.forEach(ChaosProxy::close);
        postgres.close();
        broker.close();
    }
}
