package dev.millrace.lab;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A single-node Kafka broker in a JVM of its own, which may be killed.
///
/// The child runs on this JVM's Java and class path and ends when this JVM does, however this JVM ends. What it
/// logs goes nowhere, except into the message when it does not start.
///
/// Invariant: its port and its data stay the same from the first start to the close. What was acknowledged
/// survives [#kill]: it is in the system's page cache then, though not yet on the disk.
///
/// Thread ownership: any thread; calls wait for each other.
public final class BrokerProcess implements AutoCloseable {
    private static final int START_TRIES = 3;

    private final BrokerSettings settings;
    private final Path directory;
    private int port;
    private int controllerPort;
    private @Nullable ChildJvm process;

    private BrokerProcess(BrokerSettings settings, Path directory) {
        this.settings = settings;
        this.directory = directory;
    }

    /// Starts one with [BrokerSettings#small]. About two seconds.
    public static BrokerProcess launch() {
        return launch(BrokerSettings.small());
    }

    /// Returns when it takes requests; gives up after a minute.
    public static BrokerProcess launch(BrokerSettings settings) {
        var broker = new BrokerProcess(settings, Directories.forData("broker", settings.directory()));
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
        return process != null && process.running();
    }

    /// The system's number of the running child.
    public synchronized long pid() {
        if (process == null) throw new IllegalStateException("the broker on port " + port + " does not run");
        return process.pid();
    }

    /// Starts it again on its port and its data, and returns when it takes requests. Nothing if it runs.
    public synchronized void start() {
        if (running()) return;
        process = ChildJvm.start(
                "broker",
                List.of(
                        "-Xmx512m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED"),
                BrokerMain.class,
                BrokerMain.arguments(directory, port, controllerPort, settings.properties()),
                BrokerMain.READY);
    }

    /// SIGKILL. Returns when it is gone. Nothing if it does not run.
    public synchronized void kill() {
        if (process == null) return;
        process.kill();
        process = null;
    }

    /// SIGTERM: it closes its log and ends. Returns when it is gone. Nothing if it does not run.
    public synchronized void stop() {
        if (process == null) return;
        process.stop();
        process = null;
    }

    /// Kills it, and deletes its data if the directory is the lab's own. [#stop] first where a clean end
    /// matters.
    @Override
    public synchronized void close() {
        try {
            kill();
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
            } catch (LabException failure) {
                if (left == 1) throw failure;
            }
        }
    }
}
