package dev.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.lab.clickhouse.EngineLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// `millrace bench` as it is run, in a process of its own. What it measures here is worth nothing,
/// and not looked at.
final class BenchCommandTest {
    private static final String FIGURE = "[\\d,.]+ \\([\\d,.]+ \\.\\. [\\d,.]+\\)";

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
    void aQuickSuiteConservesRowsInEveryArmAndWritesAPage() throws Exception {
        var results = folder.resolve("results");
        assertThat(exitCode("--suite", "--quick", "--out", results.toString()))
                .as(output())
                .isZero();
        var page = Files.readString(results.resolve("suite.md"));
        assertThat(page)
                .contains("**Small and cold:", "## Goals", "## 1 KB", "## Sinks", "## Delivery, 12 partitions")
                .containsPattern(
                        "`./millrace bench --suite --quick --out .*`, on \\d+ processors \\(.*\\), JDK 25.*, load"
                                + " [\\d.]+ before and [\\d.]+ after, commit ")
                .containsPattern(
                        "\\| 1 KB, raw → blackhole: CPU s/GB, times the loop's \\| " + FIGURE + " \\| ≤ 1\\.50 \\|")
                .containsPattern("\\| raw → blackhole \\| " + FIGURE + " \\| " + FIGURE + " \\| " + FIGURE);
        for (var picture :
                Pattern.compile("\\]\\((\\S+\\.svg)\\)").matcher(page).results().toList())
            assertThat(results.resolve(picture.group(1))).isNotEmptyFile();
        conserved(Files.readAllLines(results.resolve("suite.csv")));
    }

    private static void conserved(List<String> lines) {
        var names = List.of(lines.getFirst().split(",", -1));
        var arms = new TreeSet<String>();
        for (var line : lines.subList(1, lines.size())) {
            var cells = List.of(line.split(",", -1));
            assertThat(cells).as(line).hasSameSizeAs(names);
            ToLongFunction<String> number = name -> Long.parseLong(cells.get(names.indexOf(name)));
            assertThat(number.applyAsLong("rows") + number.applyAsLong("dead_lettered"))
                    .as(line)
                    .isEqualTo(number.applyAsLong("records"));
            assertThat(number.applyAsLong("wall_nanos")).as(line).isPositive();
            assertThat(number.applyAsLong("cpu_nanos")).as(line).isPositive();
            arms.add(cells.get(names.indexOf("group")) + "/" + cells.get(names.indexOf("arm")));
        }
        assertThat(arms)
                .contains(
                        "1k/bare",
                        "1k/bare-sum",
                        "1k/raw-blackhole",
                        "1k/json-blackhole",
                        "sinks/postgres",
                        "delivery-12/postgres-effectively",
                        "replica/one-dead",
                        "poison/one-in-10000",
                        "latency/rebalance");
        if (EngineLibrary.available())
            assertThat(arms)
                    .contains("1k/row-binary-blackhole", "sinks/clickhouse-json", "sinks/clickhouse-row-binary");
    }

    @Test
    void anArmThatIsNotThereIsToldAndNothingIsStarted() throws Exception {
        assertThat(exitCode("--suite", "--arms", "^no-such-group/")).isEqualTo(1);
        assertThat(output()).contains("bench: no arm has such a name");
    }

    @Test
    void onlyWhoAsksForACheckFailsForAGoal() {
        assertThat(BenchCommand.exitCode(false, false)).isZero();
        assertThat(BenchCommand.exitCode(true, true)).isZero();
        assertThat(BenchCommand.exitCode(false, true)).isEqualTo(1);
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
    void whatMakesNoSenseIsRefused() throws Exception {
        assertThat(exitCode("--rounds", "0")).isEqualTo(2);
        assertThat(output()).contains("--rounds are at least 1");
    }
}
