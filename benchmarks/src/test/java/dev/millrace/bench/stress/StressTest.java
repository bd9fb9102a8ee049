package dev.millrace.bench.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Runs every jcstress test of this module, shortly, in a JVM of its own: jcstress forks more, and ends the one it
/// runs in.
class StressTest {
    private static final Pattern RESULTS = Pattern.compile(
            "Results: (\\d+) planned; (\\d+) passed, (\\d+) failed, (\\d+) soft errs, (\\d+) hard errs");

    @Test
    @Tag("CKP-10")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void noRaceShowsAnOutcomeThatIsNotListed() throws IOException, InterruptedException {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "actors race on two processors at least");
        var folder = Files.createDirectories(Path.of("target", "jcstress").toAbsolutePath());
        var output = folder.resolve("output.txt");
        var process = new ProcessBuilder(command())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(9, TimeUnit.MINUTES))
                    .as("ended in time, see %s", output)
                    .isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        var text = Files.readString(output);
        assertThat(process.exitValue()).as(text).isZero();
        var tests = tests();
        assertThat(tests).isNotEmpty();
        var last = RESULTS.matcher(text).results().reduce((_, later) -> later).orElseThrow();
        // A test that needs more processors than there are is not planned, and would be missed silently.
        assertThat(last.group())
                .as(text)
                .isEqualTo(
                        "Results: %d planned; %d passed, 0 failed, 0 soft errs, 0 hard errs",
                        tests.size(), tests.size());
    }

    private static List<String> command() {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        var selection = Pattern.quote("dev.millrace.");
        // One JVM mode and a moment each: the build looks for what breaks at once, a long run for what is rare.
        return List.of(
                java,
                "-cp",
                classPath,
                "org.openjdk.jcstress.Main",
                "-t",
                selection,
                "-f",
                "1",
                "-fsm",
                "1",
                "-iters",
                "2",
                "-time",
                "200",
                "-sc",
                "false",
                "-af",
                "NONE",
                "-r",
                "report",
                "-jvmArgs",
                "-Xmx256m");
    }

    private static List<String> tests() throws IOException {
        try (var list = StressTest.class.getResourceAsStream("/META-INF/TestList")) {
            var text = new String(Objects.requireNonNull(list).readAllBytes(), StandardCharsets.UTF_8);
            return text.lines().filter(line -> line.startsWith("JCTEST")).toList();
        }
    }
}
