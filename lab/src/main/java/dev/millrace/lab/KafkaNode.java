package dev.millrace.lab;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/// One running single-node broker: controller and broker in one, in this JVM. The one class that touches the
/// broker's insides.
///
/// Thread ownership: whoever started it; one call at a time.
final class KafkaNode {
    private static final String CLUSTER = "bWlsbHJhY2UtbGFiLTAwMQ";

    private final KafkaRaftServer server;

    private KafkaNode(KafkaRaftServer server) {
        this.server = server;
    }

    /// Formats the directory if it is new, and returns when the broker takes requests. What was started is
    /// stopped again if that fails.
    static KafkaNode start(Path directory, int port, int controllerPort, Map<String, String> overrides) {
        var properties = small(directory, port, controllerPort);
        properties.putAll(overrides);
        format(directory);
        var server = new KafkaRaftServer(new KafkaConfig(properties), Time.SYSTEM);
        try {
            server.startup();
        } catch (Throwable failure) {
            stopAfter(failure, server);
            throw failure;
        }
        return new KafkaNode(server);
    }

    /// Returns when it has stopped: its ports are closed and its files may be deleted.
    void stop() {
        server.shutdown();
        server.awaitShutdown();
    }

    private static void stopAfter(Throwable failure, KafkaRaftServer server) {
        try {
            server.shutdown();
        } catch (RuntimeException second) {
            failure.addSuppressed(second);
        }
    }

    private static void format(Path directory) {
        try {
            Files.createDirectories(directory);
            new Formatter()
                    .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
                    .setClusterId(CLUSTER)
                    .setNodeId(1)
                    .setDirectories(List.of(directory.toString()))
                    .setMetadataLogDirectory(directory.toString())
                    .setControllerListenerName("CONTROLLER")
                    .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
                    .setHasDynamicQuorum(false)
                    .setIgnoreFormatted(true)
                    .run();
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot format " + directory, failure);
        } catch (Exception failure) {
            throw new LabException("cannot format " + directory, failure);
        }
    }

    private static Map<String, String> small(Path directory, int port, int controllerPort) {
        var p = new HashMap<String, String>();
        p.put("process.roles", "broker,controller");
        p.put("node.id", "1");
        p.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
        p.put("controller.listener.names", "CONTROLLER");
        p.put("listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort);
        p.put("advertised.listeners", "PLAINTEXT://127.0.0.1:" + port);
        p.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        p.put("log.dirs", directory.toString());
        p.put("auto.create.topics.enable", "false");
        p.put("num.network.threads", "2");
        p.put("num.io.threads", "2");
        p.put("background.threads", "2");
        p.put("offsets.topic.replication.factor", "1");
        p.put("offsets.topic.num.partitions", "4");
        p.put("transaction.state.log.replication.factor", "1");
        p.put("transaction.state.log.min.isr", "1");
        p.put("transaction.state.log.num.partitions", "4");
        p.put("share.coordinator.state.topic.replication.factor", "1");
        p.put("share.coordinator.state.topic.min.isr", "1");
        p.put("share.coordinator.state.topic.num.partitions", "4");
        p.put("group.initial.rebalance.delay.ms", "0");
        // The default of 128 MiB would be taken from the heap of whoever runs the broker.
        p.put("log.cleaner.dedupe.buffer.size", "2097152");
        return p;
    }
}
