package dev.millrace.cli.proof;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// `millrace` in a JVM of its own, as a user starts it: with a file, two outputs, signals and an exit code.
///
/// Thread ownership: any thread.
final class MillraceProcess implements AutoCloseable {
    private static final int EVIDENCE_LINES = 60;
    private static final Duration LONGEST_RUN_LEFT = Duration.ofSeconds(10);

    private final Process process;
    private final Path stdout;
    private final Path stderr;

    private MillraceProcess(Process process, Path stdout, Path stderr) {
        this.process = process;
        this.stdout = stdout;
        this.stderr = stderr;
    }

    /// Outputs go to files beside the pipeline's.
    static MillraceProcess run(Path file) throws IOException {
        return run(file, "-Xmx512m");
    }

    /// With these limits of its memory.
    static MillraceProcess run(Path file, String... limits) throws IOException {
        return start(file.getFileName().toString(), file, command(List.of(limits), List.of("run", file.toString())));
    }

    /// As a service manager starts it, that listens there.
    static MillraceProcess managed(String name, Path file, String notifySocket) throws IOException {
        return start(
                name,
                file,
                command(List.of("-Xmx512m"), List.of("run", file.toString())),
                Map.of("NOTIFY_SOCKET", notifySocket));
    }

    /// `millrace dlq` with these arguments, about the pipeline of a file. Outputs go to files of
    /// this name beside it.
    static MillraceProcess dlq(String name, Path file, String what, String... more) throws IOException {
        return start(name, file, dlqCommand(file, what, more));
    }

    /// `millrace` with these arguments. Outputs go to files of this name beside the pipeline's.
    static MillraceProcess of(String name, Path file, String... arguments) throws IOException {
        return start(name, file, command(List.of("-Xmx512m"), List.of(arguments)));
    }

    /// The words of that command.
    static List<String> dlqCommand(Path file, String what, String... more) {
        var arguments = new ArrayList<>(List.of("dlq", what, file.toString()));
        arguments.addAll(List.of(more));
        return command(List.of("-Xmx512m"), arguments);
    }

    private static List<String> command(List<String> limits, List<String> arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(limits);
        command.addAll(List.of(
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Djdk.serialFilter=!*",
                "-cp",
                classPath(),
                "dev.millrace.cli.Main"));
        command.addAll(arguments);
        return command;
    }

    private static MillraceProcess start(String name, Path file, List<String> command) throws IOException {
        return start(name, file, command, Map.of());
    }

    private static MillraceProcess start(String name, Path file, List<String> command, Map<String, String> environment)
            throws IOException {
        var stdout = file.resolveSibling(name + ".out");
        var stderr = file.resolveSibling(name + ".err");
        var builder =
                new ProcessBuilder(command).redirectOutput(stdout.toFile()).redirectError(stderr.toFile());
        builder.environment().putAll(environment);
        return new MillraceProcess(builder.start(), stdout, stderr);
    }

    // What a user has, without the classes and the logging of the tests.
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.endsWith("test-classes"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    long pid() {
        return process.pid();
    }

    /// The most that was ever resident of it, in KiB, as the system counts.
    long peakResidentKib() throws IOException {
        try (var lines = Files.lines(Path.of("/proc", Long.toString(pid()), "status"))) {
            return lines.filter(line -> line.startsWith("VmHWM:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                    .findFirst()
                    .orElseThrow();
        }
    }

    boolean alive() {
        return process.isAlive();
    }

    /// Waits for something that it brings about. Fails at once if it ends before.
    void await(Duration limit, String what, Callable<Boolean> holds) throws Exception {
        await(limit, what, holds, this::evidence);
    }

    /// The same, with other evidence.
    void await(Duration limit, String what, Callable<Boolean> holds, Supplier<String> evidence) throws Exception {
        Deadline.in(limit)
                .until(
                        what,
                        () -> {
                            if (!alive()) throw new AssertionError("it ended before: " + what + "\n" + evidence());
                            return holds.call();
                        },
                        evidence);
    }

    /// SIGTERM.
    void terminate() {
        process.toHandle().destroy();
    }

    /// SIGHUP.
    void hangUp() throws IOException, InterruptedException {
        var kill = new ProcessBuilder("kill", "-HUP", Long.toString(pid())).start();
        if (kill.waitFor() != 0) throw new AssertionError("it took no SIGHUP\n" + evidence());
    }

    /// SIGKILL; returns when it is gone.
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /// Its exit code. Fails, and kills it, if it has not ended by then.
    int awaitExit(Duration limit) throws InterruptedException {
        if (process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) return process.exitValue();
        var evidence = evidence();
        kill();
        throw new AssertionError("it did not end within " + limit + "\n" + evidence);
    }

    /// Of one that has ended.
    int exitCode() {
        return process.exitValue();
    }

    String stdout() {
        return read(stdout);
    }

    String stderr() {
        return read(stderr);
    }

    /// What a person wants to see when an assertion fails.
    String evidence() {
        var lines = stderr().lines().toList();
        var tail = lines.subList(Math.max(0, lines.size() - EVIDENCE_LINES), lines.size());
        return (alive() ? "it runs" : "it ended with " + process.exitValue()) + "; standard output:\n" + stdout()
                + "\nthe end of standard error:\n" + String.join("\n", tail) + "\n";
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(LONGEST_RUN_LEFT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
