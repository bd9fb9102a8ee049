package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.config.BlackholeConfig;
import dev.millrace.config.FormatConfig;
import dev.millrace.config.FormatConfig.OnTombstone;
import dev.millrace.pipeline.SuiteCosts.Cost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class SuiteCostsTest {
    private static final Path PAGE = Path.of("../docs/benchmarks/suite.md");
    private static final String CSV = """
            group,program,value_bytes,codec,poison_every,twist,records,cpu_nanos,source_nanos
            1k,raw_http,1000,none,0,none,1000,3000000,1000000
            1k,raw_http,1000,none,0,none,1000,1000000,3000000
            1k,raw_http,1000,none,0,none,1000,2000000,2000000
            1k,raw_http,1000,lz4,0,none,1000,9000000,9000000
            shards,raw_http,1000,none,0,none,1000,9000000,9000000
            1k,raw_http,1000,none,10,none,1000,9000000,9000000
            size,raw_http,100,none,0,none,1000,400000,200000
            """;

    private final SuiteCosts costs =
            SuiteCosts.of(CSV, "Written by x, on 2 processors, JDK 25, load 1 before, commit 12ab, now.");

    @Test
    void aCostIsTheMedianOfPlainReadings() {
        assertThat(costs.of("raw_http", 1000)).isEqualTo(new Cost(2, 2));
        assertThat(costs.of("raw_http", 100)).isEqualTo(new Cost(4, 2));
        assertThat(costs.machine()).isEqualTo("2 processors, JDK 25, commit 12ab");
    }

    @Test
    void ofASizeThatWasNotMeasuredTheDearerCounts() {
        assertThat(costs.of("raw_http", 5000)).as("larger: the largest").isEqualTo(new Cost(2, 2));
        assertThat(costs.of("raw_http", 500)).as("between: the dearer").isEqualTo(new Cost(4, 2));
        assertThat(costs.of("raw_http", 50))
                .as("smaller: as many CPU seconds a row")
                .isEqualTo(new Cost(8, 4));
    }

    @Test
    void theMedianOfAnEvenNumberIsBetweenTheTwo() {
        assertThat(SuiteCosts.median(new double[] {4, 1, 3, 2})).isEqualTo(2.5);
    }

    /// The page and the command say the same of the same readings.
    @Test
    void whatTheBuildPutInIsWhatTheSuitesPageSays() throws IOException {
        var read = SuiteCosts.read();
        var nearest = read.nearest(new BlackholeConfig(), new FormatConfig.Raw(OnTombstone.SKIP));
        assertThat(nearest.program()).isEqualTo("raw_blackhole");
        var line = Pattern.compile("\\| raw → blackhole \\| [0-9,]+ \\([^)]*\\) \\| ([0-9.]+) ")
                .matcher(Files.readString(PAGE));
        assertThat(line.find()).isTrue();
        assertThat(read.of("raw_blackhole", 1024).process())
                .isCloseTo(Double.parseDouble(line.group(1)), within(0.0051));
        assertThat(read.machine()).contains("processors").contains("commit");
    }
}
