package dev.millrace.cli.proof;

import dev.millrace.lab.BrokerSettings;
import dev.millrace.lab.EmbeddedBroker;
import dev.millrace.lab.LabPostgres;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/// One broker and one PostgreSQL server for all proofs of this JVM. Topics, groups and databases are never shared.
///
/// Thread ownership: any thread.
final class SharedLab implements AutoCloseable {
    private final EmbeddedBroker broker;
    private final LabPostgres postgres;
    private final AtomicInteger scenes = new AtomicInteger();

    private SharedLab(EmbeddedBroker broker, LabPostgres postgres) {
        this.broker = broker;
        this.postgres = postgres;
    }

    static SharedLab launch() {
        return new SharedLab(EmbeddedBroker.launch(settings()), LabPostgres.launch(Map.of("max_connections", "200")));
    }

    /// A killed member is out of its group after a second and a half, if the pipeline's file says so too.
    static BrokerSettings settings() {
        return BrokerSettings.small()
                .with("group.min.session.timeout.ms", "500")
                .with("group.consumer.min.session.timeout.ms", "500")
                .with("group.consumer.min.heartbeat.interval.ms", "300")
                .with("group.consumer.heartbeat.interval.ms", "300")
                .with("log.cleaner.backoff.ms", "200");
    }

    String bootstrapServers() {
        return broker.bootstrapServers();
    }

    LabPostgres postgres() {
        return postgres;
    }

    /// A name that no topic, group or database has: letters and a number.
    String fresh() {
        return "proof" + scenes.incrementAndGet();
    }

    /// A topic, a group and databases that nobody has used; files go to the directory.
    Scene scene(Scene.Shape shape, Path directory) {
        return scene(shape, directory, broker.bootstrapServers());
    }

    /// With a broker of the test's own.
    Scene scene(Scene.Shape shape, Path directory, String bootstrapServers) {
        return new Scene(fresh(), shape, directory, bootstrapServers, postgres);
    }

    @Override
    public void close() {
        postgres.close();
        broker.close();
    }
}
