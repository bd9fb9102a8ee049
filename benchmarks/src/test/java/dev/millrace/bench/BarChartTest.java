package dev.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/// The suite's pictures.
final class BarChartTest {
    private static final BarChart CHART = new BarChart(
            "1 KB & more",
            "CPU s/GB",
            "%.2f",
            List.of(
                    new BarChart.Bar("bare loop", new Figures(0.5, 0.25, 0.75), true),
                    new BarChart.Bar("raw → blackhole", new Figures(1.5, 1.25, 2), false)));

    private static Document parsed(String svg) throws Exception {
        var factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        return factory.newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }

    @Test
    void barsAndTheirSpreadAreDrawnToOneScale() throws IOException {
        try (var golden = BarChartTest.class.getResourceAsStream("bars.svg")) {
            assertThat(golden).as("bars.svg").isNotNull();
            assertThat(CHART.svg()).isEqualTo(new String(golden.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    void aPictureSaysInWordsWhatItShowsAndNeedsNothingFromElsewhere() throws Exception {
        var svg = CHART.svg();
        var root = parsed(svg).getDocumentElement();
        assertThat(root.getElementsByTagName("title").item(0).getTextContent()).isEqualTo("1 KB & more");
        assertThat(root.getElementsByTagName("desc").item(0).getTextContent())
                .isEqualTo("CPU s/GB, median (least .. most): bare loop 0.50 (0.25 .. 0.75); raw → blackhole 1.50"
                        + " (1.25 .. 2.00)");
        assertThat(svg).contains("prefers-color-scheme: dark").doesNotContain("href", "url(", "@import", "<script");
    }

    @Test
    void delaysAreDrawnWithTheirPercentiles() throws Exception {
        var delays = new Histogram(3);
        for (var millis = 1; millis <= 1000; millis++) delays.recordValue(millis * 1000L);
        var root = parsed(new DelayChart("Delay", delays).svg()).getDocumentElement();
        assertThat(root.getElementsByTagName("desc").item(0).getTextContent())
                .matches("1,000 rows: p50 500(\\.\\d)? ms, p99 99\\d(\\.\\d)? ms, p99\\.9 (999|1,000)(\\.\\d)? ms");
        assertThat(root.getElementsByTagName("rect").getLength()).isEqualTo(1 + 60);
    }

    @Test
    void marksStandAtRoundNumbersAndTheAxisHoldsTheMost() {
        var axis = Axis.upTo(0.83, 400);
        assertThat(axis.marks().stream().map(axis::text)).containsExactly("0.0", "0.2", "0.4", "0.6", "0.8", "1.0");
        assertThat(axis.place(0.83)).isLessThanOrEqualTo(400);
        assertThat(Axis.upTo(6, 400).marks()).hasSize(7);
        assertThat(Axis.upTo(0, 400).place(0)).isZero();
    }
}
