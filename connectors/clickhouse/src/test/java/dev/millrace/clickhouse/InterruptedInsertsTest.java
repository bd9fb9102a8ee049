package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.clickhouse.Coordinates.Part;
import dev.millrace.clickhouse.Description.Described;
import dev.millrace.clickhouse.Description.Interrupted;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("CH-9")
class InterruptedInsertsTest {
    private static final Coordinates PLACES = new Coordinates(
            new TreeMap<>(Map.of(Part.TOPIC, "_topic", Part.PARTITION, "_partition", Part.OFFSET, "_offset")));
    private static final String[] COLUMNS = {"_topic\t\tString", "_partition\t\tInt32", "_offset\t\tInt64"};

    @ParameterizedTest
    @CsvSource({
        "22.8.1.1, true",
        "25.12.9.99, true",
        "26.3.33.60, true",
        "26.3.33.61, false",
        "26.3.40.1, false",
        "26.4.1.1, true",
        "26.5.99.99, true",
        "26.6.5.113, true",
        "26.6.5.114, false",
        "26.7.2.1, true",
        "26.7.7.86, true",
        "26.7.7.87, false",
        "26.8.3.97, true",
        "26.8.3.98, false",
        "26.9.1.1, false",
        "27.1.1.1, false",
    })
    @DisplayName("CH-9: which versions lose rows of an insert that was interrupted")
    void versions(String version, boolean loses) {
        assertThat(!LossBugs.of(version).isEmpty()).isEqualTo(loses);
    }

    private static Described described(Stub stub, Coordinates coordinates) throws InterruptedException {
        try (var sink = Bench.sink(Bench.settings(coordinates), stub.uri())) {
            return (Described) sink.describe(Bench.in(Bench.AMPLE));
        }
    }

    @Test
    @DisplayName("CH-9: without coordinates on such a server the level is L0, and what helps is told")
    void nothingToReadBy() throws Exception {
        try (var stub = Stub.listen(Stub.ok()).ofVersion("26.7.2.1")) {
            var described = described(stub, Coordinates.NONE);
            assertThat(described.interrupted()).isEqualTo(Interrupted.MAY_BE_LOST);
            assertThat(described.hazards())
                    .singleElement()
                    .asString()
                    .contains("26.7.2.1", "112149", "upgrade to", "L0", "clickhouse.coordinates");
        }
    }

    @Test
    @DisplayName(
            "CH-9: with coordinates it verifies; on a later server, or where no tokens are remembered, it need not")
    void verifies() throws Exception {
        try (var stub = Stub.listen(Stub.ok()).ofTable("ReplicatedMergeTree", COLUMNS)) {
            var described = described(stub, PLACES);
            assertThat(described.interrupted()).isEqualTo(Interrupted.VERIFIED);
            assertThat(described.hazards()).singleElement().asString().contains("112149", "are read before they count");
            stub.ofVersion("26.9.1.1");
            assertThat(described(stub, PLACES).interrupted()).isEqualTo(Interrupted.STORED);
            assertThat(described(stub, PLACES).hazards()).isEmpty();
            stub.ofVersion("26.7.2.1").ofTable("MergeTree", COLUMNS);
            assertThat(described(stub, PLACES).interrupted()).isEqualTo(Interrupted.STORED);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"ReplicatedReplacingMergeTree", "ReplicatedSummingMergeTree", "ReplicatedAggregatingMergeTree"})
    @DisplayName("CH-9: a table that merges rows away can't be verified by reading")
    void mergesRowsAway(String engine) throws Exception {
        try (var stub = Stub.listen(Stub.ok()).ofTable(engine, COLUMNS)) {
            var described = described(stub, PLACES);
            assertThat(described.interrupted()).isEqualTo(Interrupted.MAY_BE_LOST);
            assertThat(described.hazards()).singleElement().asString().contains("L0", engine);
        }
    }

    @Test
    @DisplayName("CH-9: a user who may not read the table can't verify, and that is told at the start")
    void mayNotRead() throws Exception {
        try (var stub = Stub.listen(Stub.exception("500 Internal Server Error", 497, "Not enough privileges"))
                .ofTable("ReplicatedMergeTree", COLUMNS)) {
            var described = described(stub, PLACES);
            assertThat(described.interrupted()).isEqualTo(Interrupted.MAY_BE_LOST);
            assertThat(described.hazards()).singleElement().asString().contains("L0", "let clickhouse.user read");
        }
    }
}
