package dev.millrace.lab;

import java.nio.file.Path;
import org.apache.kafka.common.utils.internals.Exit;
import org.jspecify.annotations.Nullable;

/// A single-node Kafka broker in this JVM.
///
/// Invariant: its port and its data stay the same from the first start to the close, whatever is stopped and
/// started between.
///
/// Kafka ends the JVM when a node cannot go on (its controller's port is taken, its directory is gone).
/// Starting one of these replaces that, for the whole JVM and for good, by an exception on the thread that
/// found out.
///
/// Thread ownership: any thread; calls wait for each other.
public final class EmbeddedBroker implements AutoCloseable {
    private static final int START_TRIES = 3;

    private final BrokerSettings settings;
    private final Path directory;
    private int port;
    private int controllerPort;
    private @Nullable KafkaNode node;

    private EmbeddedBroker(BrokerSettings settings, Path directory) {
        this.settings = settings;
        this.directory = directory;
    }

    /// Starts one with [BrokerSettings#small]. About one and a half seconds in a cold JVM.
    public static EmbeddedBroker launch() {
        return launch(BrokerSettings.small());
    }

    /// Returns when it takes requests.
    public static EmbeddedBroker launch(BrokerSettings settings) {
        var broker = new EmbeddedBroker(settings, Directories.forData("broker", settings.directory()));
        try {
            broker.firstStart();
        } catch (Throwable failure) {
            broker.close();
            throw failure;
        }
        return broker;
    }

    /// Host and port, as `bootstrap.servers` wants them. The same for life.
    public synchronized String bootstrapServers() {
        return "127.0.0.1:" + port;
    }

    public synchronized int port() {
        return port;
    }

    /// Where its data is.
    public Path directory() {
        return directory;
    }

    public synchronized boolean running() {
        return node != null;
    }

    /// Stops it cleanly; its port is closed then. Nothing if it is stopped.
    public synchronized void stop() {
        if (node == null) return;
        node.stop();
        node = null;
    }

    /// Starts it again on its port and its data. Nothing if it runs.
    public synchronized void start() {
        if (node != null) return;
        throwInsteadOfEndingTheJvm();
        node = KafkaNode.start(directory, port, controllerPort, settings.properties());
    }

    public synchronized void restart() {
        stop();
        start();
    }

    /// Stops it, and deletes its data if the directory is the lab's own. Close clients first: they would go on
    /// knocking.
    @Override
    public synchronized void close() {
        try {
            stop();
        } finally {
            if (settings.directory() == null) Directories.delete(directory);
        }
    }

    // A free port is held by nobody until the broker listens on it: another process may take it first.
    private synchronized void firstStart() {
        for (int left = settings.port() == 0 ? START_TRIES : 1; ; left--) {
            port = settings.port() == 0 ? FreePort.take() : settings.port();
            controllerPort = FreePort.take();
            try {
                start();
                return;
            } catch (RuntimeException failure) {
                if (left == 1)
                    throw new LabException("the broker did not start on port " + port + " in " + directory, failure);
            }
        }
    }

    private static void throwInsteadOfEndingTheJvm() {
        Exit.setExitProcedure((status, message) -> {
            throw new LabException("the broker wanted to exit with " + status + ": " + message);
        });
        Exit.setHaltProcedure((status, message) -> {
            throw new LabException("the broker wanted to halt with " + status + ": " + message);
        });
    }
}
