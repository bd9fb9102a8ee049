package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Asks a JVM of this machine about itself.
///
/// Thread ownership: one thread at a time.
///
/// @param file takes what it tells
record Jcmd(long pid, Path file) {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /// The lines it says to a command of the JDK's `jcmd`.
    List<String> ask(String... words) throws IOException, InterruptedException {
        var command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(), Long.toString(pid)));
        command.addAll(List.of(words));
        var asked = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(file.toFile())
                .start();
        if (!asked.waitFor(LIMIT)) {
            asked.destroyForcibly();
            throw new AssertionError(command + " did not end within " + LIMIT);
        }
        var lines = Files.readAllLines(file);
        assertThat(asked.exitValue()).as("%s: %s", command, lines).isZero();
        return lines;
    }
}
