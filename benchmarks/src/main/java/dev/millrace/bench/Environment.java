package dev.millrace.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

/// Where and when something was measured.
///
/// @param command that measures it again
record Environment(
        int processors,
        String processor,
        String jdk,
        String kernel,
        String commit,
        Instant at,
        String command,
        double loadBefore) {
    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

    static Environment now(String command) {
        return new Environment(
                Runtime.getRuntime().availableProcessors(),
                processorName(),
                Runtime.version().toString(),
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                commitName(),
                Instant.now().truncatedTo(ChronoUnit.SECONDS),
                command,
                load());
    }

    static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    private static String processorName() {
        if (!Files.isReadable(CPU_INFO)) return System.getProperty("os.arch");
        try (var lines = Files.lines(CPU_INFO)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot read " + CPU_INFO, failure);
        }
    }

    /// Of the folder that it runs in, as git says it, or `unknown`.
    private static String commitName() {
        try {
            var git = new ProcessBuilder(List.of("git", "describe", "--always", "--abbrev=12", "--dirty"))
                    .redirectErrorStream(true)
                    .start();
            var said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor() == 0 ? said : "unknown";
        } catch (IOException _) {
            // No git here.
            return "unknown";
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return "unknown";
        }
    }

    String text(double loadAfter) {
        return String.format(
                Locale.ROOT,
                "%d processors (%s), JDK %s, %s, load %.2f before and %.2f after, commit %s, %s",
                processors,
                processor,
                jdk,
                kernel,
                loadBefore,
                loadAfter,
                commit,
                at);
    }
}
