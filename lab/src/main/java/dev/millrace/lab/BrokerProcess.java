package dev.millrace.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
    private static final int LIMIT_SECONDS = 60;
    private static final int START_TRIES = 3;

    private final BrokerSettings settings;
    private final Path directory;
    private int port;
    private int controllerPort;
    private @Nullable Process process;

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
        return process != null && process.isAlive();
    }

    /// The system's number of the running child.
    public synchronized long pid() {
        if (process == null) throw new IllegalStateException("the broker on port " + port + " does not run");
        return process.pid();
    }

    /// Starts it again on its port and its data, and returns when it takes requests. Nothing if it runs.
    public synchronized void start() {
        if (running()) return;
        Process child = spawn();
        process = child;
        var output = new ChildOutput(child.inputReader(), BrokerMain.READY);
        Thread.ofVirtual().name("broker-output").start(output);
        if (ready(output)) return;
        kill();
        throw new LabException(
                "the broker process did not start on port " + port + " in " + directory + ":\n" + output.lastLines());
    }

    private Process spawn() {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                BrokerMain.class.getName()));
        command.addAll(BrokerMain.arguments(directory, port, controllerPort, settings.properties()));
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot run " + command.getFirst(), failure);
        }
    }

    private static boolean ready(ChildOutput output) {
        try {
            return output.said().get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException failure) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException failure) {
            return false;
        }
    }

    /// SIGKILL. Returns when it is gone. Nothing if it does not run.
    public synchronized void kill() {
        if (process == null) return;
        awaitEnd(process.destroyForcibly());
        process = null;
    }

    /// SIGTERM: it closes its log and ends. Returns when it is gone. Nothing if it does not run.
    public synchronized void stop() {
        if (process == null) return;
        process.destroy();
        awaitEnd(process);
        process = null;
    }

    private void awaitEnd(Process ending) {
        try {
            if (!ending.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new LabException("broker process " + ending.pid() + " did not end in " + LIMIT_SECONDS + " s");
            }
        } catch (InterruptedException failure) {
            Thread.currentThread().interrupt();
            ending.destroyForcibly();
            throw new LabException("interrupted while broker process " + ending.pid() + " ended", failure);
        }
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
