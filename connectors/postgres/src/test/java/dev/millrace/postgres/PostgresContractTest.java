package dev.millrace.postgres;

import dev.millrace.lab.LabPostgres;
import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.Sink;
import dev.millrace.testkit.SinkContract;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/// The postgres sink does what the pool takes for granted of any sink, on a real server.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PostgresContractTest extends SinkContract {
    private static final int NOBODY = 9;

    private LabPostgres server;
    private Warehouse warehouse;

    @BeforeAll
    void launch() {
        server = LabPostgres.launch();
        server.createDatabase("shop");
        server.execute("shop", "create table t (id int primary key, name text)");
    }

    @AfterAll
    void close() {
        server.close();
    }

    @BeforeEach
    void open() {
        server.execute("shop", "truncate t");
        warehouse = Warehouse.open(Warehouse.settings("t", OnConflict.IGNORE, null), endpoint());
    }

    @AfterEach
    void end() {
        warehouse.close();
    }

    @Override
    protected Sink sink() {
        return warehouse.sink();
    }

    @Override
    protected ShardId shard() {
        return Warehouse.SHARD;
    }

    @Override
    protected URI endpoint() {
        return Warehouse.address(server, "shop");
    }

    @Override
    protected URI gone() {
        return Warehouse.address("127.0.0.1", NOBODY, "shop");
    }

    @Override
    protected List<String> stored() {
        return server.query("shop", "select '{\"id\":' || id || ',\"name\":\"' || name || '\"}' from t order by ctid");
    }
}
