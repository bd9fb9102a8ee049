package dev.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.lab.clickhouse.EngineLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// `millrace bench` as it is run, in a process of its own. What it measures here is worth nothing,
/// and not looked at.
final class BenchCommandTest {
    private static final String FIGURE = "[\\d,.]+ \\([\\d,.]+ \\.\\. [\\d,.]+\\)";
    private static final String LINE = "%s +" + FIGURE + " +[\\d,]+ +" + FIGURE + " +" + FIGURE + "\\R";

    @TempDir
    private Path folder;

    private int exitCode(String... arguments) throws IOException, InterruptedException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        var command = new ProcessBuilder(
                java, "--enable-native-access=ALL-UNNAMED", "-Xmx512m", "-cp", classPath, BenchCommand.class.getName());
        command.command().addAll(List.of(arguments));
        command.redirectOutput(folder.resolve("out").toFile());
        command.redirectError(folder.resolve("err").toFile());
        var process = command.start();
        try {
            assertThat(process.waitFor(220, TimeUnit.SECONDS))
                    .as("ends by itself: %s", output())
                    .isTrue();
            return process.exitValue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private String output() throws IOException {
        return Files.readString(folder.resolve("out")) + Files.readString(folder.resolve("err"));
    }

    @Test
    @Timeout(value = 240, unit = TimeUnit.SECONDS)
    void aQuickRunReadsTheSameWithBothArmsAndTellsSo() throws Exception {
        assertThat(exitCode("--quick")).as(output()).isZero();
        for (var size : List.of("1 KB values: 9,765 records", "100 B values: 100,000 records")) {
            assertThat(output())
                    .containsPattern(size + " with 11-byte keys in 4 partitions, 2 rounds, load .*\\R.*\\R"
                            + LINE.formatted(" +the same, no sum")
                            + LINE.formatted(" +\\(a\\) bare poll loop")
                            + LINE.formatted(" +\\(b\\) whole pipeline")
                            + " +\\(b\\)/\\(a\\): [\\d.]+ x in records/s, goal >= 0.65: (NOT REACHED|reached);"
                            + " [\\d.]+ x in CPU s/GB, goal <= 1.60: (NOT REACHED|reached)\\R"
                            + " +rows and sums are equal in all 4 passes of \\(a\\) and \\(b\\)");
        }
    }

    @Test
    @Tag("POI-1")
    @Timeout(value = 240, unit = TimeUnit.SECONDS)
    @DisplayName("POI-11: one, two and fifty poison rows are found within their bounds of requests, named or not")
    void poisonIsFoundWithinItsBoundsOfRequests() throws Exception {
        assertThat(exitCode("--poison", "--quick")).as(output()).isZero();
        assertThat(output())
                .containsPattern("one batch of 5,000 rows, .*\\R +poison +named +requests +at most")
                .containsPattern(" 1 +yes +4 +4 ")
                .containsPattern(" 50 +no +[\\d,]+ +877 ")
                .contains("  all within their bounds")
                .containsPattern("20,000 rows, one in 2,000 poison, 1 rounds.*\\R +no poison .* 1\\.00 x\\R"
                        + " +a CHECK: named .* [\\d.]+ x\\R +a foreign key: not named .* [\\d.]+ x\\R");
    }

    @Test
    @Tag("CH-1")
    @Timeout(value = 240, unit = TimeUnit.SECONDS)
    void bothFormatsStoreEveryRowInClickHouseAndTheirCostIsTold() throws Exception {
        assumeTrue(EngineLibrary.available());
        assertThat(exitCode("--clickhouse", "--quick")).as(output()).isZero();
        assertThat(output())
                .containsPattern("20,000 rows of \\d+ bytes, 1 rounds, .*\\R.*\\R" + " +json_each_row( +" + FIGURE
                        + "){4}\\R +row_binary( +" + FIGURE + "){4}\\R");
    }

    @Test
    @Tag("EO-13")
    @Timeout(value = 240, unit = TimeUnit.SECONDS)
    void everyRowIsStoredOnceUnderBothDeliveriesAndTheirCostIsTold() throws Exception {
        assertThat(exitCode("--delivery", "--quick")).as(output()).isZero();
        for (var partitions : List.of(1, 12, 64)) {
            assertThat(output())
                    .containsPattern("\\R" + partitions
                            + " partitions: 5,000 rows of \\d+ bytes, then [\\d,]+ rows/s.*\\R"
                            + ".*delay p99, ms\\R +at_least_once( +" + FIGURE + "){5}\\R +effectively_once( +" + FIGURE
                            + "){5}\\R +ratio, or added +" + FIGURE + " ");
        }
    }

    @Test
    void whatMakesNoSenseIsRefused() throws Exception {
        assertThat(exitCode("--rounds", "0")).isEqualTo(2);
        assertThat(output()).contains("--rounds are at least 1");
    }
}
