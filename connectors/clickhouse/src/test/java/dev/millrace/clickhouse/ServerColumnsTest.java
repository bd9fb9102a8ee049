package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.clickhouse.ServerColumns.Made;
import dev.millrace.clickhouse.TableLayout.Absent;
import dev.millrace.clickhouse.TableLayout.Column;
import dev.millrace.clickhouse.TableLayout.Origin;
import dev.millrace.json.IgnoredFields;
import dev.millrace.json.JsonFields;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What servers tell of a table's columns, and what rows are made of it.
@Tag("FMT-3")
class ServerColumnsTest {
    private static final String TODAY = "format\tRowBinaryWithNamesAndTypesAndDefaults\t\t\n";

    private final TreeSet<String> hazards = new TreeSet<>();

    private static ServerColumns told(String... columns) {
        return toldBy(TODAY + "zone\tUTC\t\t\n", columns);
    }

    private static ServerColumns toldBy(String server, String... columns) {
        var text = new StringBuilder(server)
                .append("count\t")
                .append(columns.length)
                .append("\t\t\n");
        for (var column : columns) text.append("column\t").append(column).append('\n');
        return Objects.requireNonNull(ServerColumns.of(text.toString()));
    }

    private TableLayout layout(ServerColumns columns) {
        return ((Made.Layout) columns.made("shop.t", Coordinates.NONE, hazards)).layout();
    }

    private static String fate(TableLayout layout, String value) {
        var encoder = layout.encoder(0, JsonFields.Unknown.REFUSE, new IgnoredFields(), Set.of());
        return switch (Lines.encode(encoder, value)) {
            case Encoded.Written _ -> "written";
            case Encoded.Skipped skipped -> skipped.reason();
            case Encoded.Poison poison -> poison.reason();
        };
    }

    @Test
    void aColumnWithADefaultIsMarkedInEachRow() {
        var layout = layout(told("a\tUInt8\t", "b\tUInt8\tDEFAULT", "c\tNullable(UInt8)\t", "m\tUInt8\tMATERIALIZED"));
        assertThat(layout.columns())
                .containsExactly(
                        new Column("a", "UInt8", new Origin.Field(), Absent.REFUSED),
                        new Column("b", "UInt8", new Origin.Field(), Absent.DEFAULT),
                        new Column("c", "Nullable(UInt8)", new Origin.Field(), Absent.NULL));
        assertThat(layout.format()).isEqualTo("RowBinaryWithNamesAndTypesAndDefaults");
        assertThat(layout(told("a\tUInt8\t")).format()).isEqualTo("RowBinaryWithNamesAndTypes");
        assertThat(hazards).isEmpty();
    }

    @Test
    void aServerThatKnowsNoMarksHasNoDefaultsAndThatIsTold() {
        var layout = layout(toldBy("zone\tUTC\t\t\n", "a\tUInt8\tDEFAULT", "e\tUInt8\tEPHEMERAL"));
        assertThat(layout.columns()).containsExactly(new Column("a", "UInt8", new Origin.Field(), Absent.REFUSED));
        assertThat(layout.marks()).isFalse();
        assertThat(hazards).singleElement().asString().contains("column a of shop.t has a DEFAULT");
        assertThat(fate(layout, "{}")).isEqualTo("missing");
    }

    @ParameterizedTest
    @CsvSource({"UTC, written", "Etc/UTC, written", "Europe/Berlin, no_zone"})
    @DisplayName("CASE-42 INPUT-13: a time without a zone goes only where the server's zone is UTC")
    void serverZone(String zone, String fate) {
        var layout = layout(toldBy(TODAY + "zone\t" + zone + "\t\t\n", "at\tDateTime\t"));
        assertThat(fate(layout, "{\"at\":\"2026-01-01 10:00:00\"}")).isEqualTo(fate);
        assertThat(fate(layout, "{\"at\":\"2026-01-01 10:00:00Z\"}")).isEqualTo("written");
    }

    @Test
    void whatServersDisagreeOnIsTheLesser() {
        var mine = told("a\tUInt8\tDEFAULT", "b\tUInt8\t");
        var other = toldBy("zone\tEurope/Berlin\t\t\n", "b\tUInt8\t", "a\tUInt8\t");
        var both = Objects.requireNonNull(mine.and(other));
        assertThat(both.marks()).isFalse();
        assertThat(both.zone()).isEmpty();
        assertThat(both.columns()).extracting(ServerColumns.Told::kind).containsOnly(ServerColumns.Kind.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\tInt8\t", "b\tUInt8\t", "a\tUInt8\tMATERIALIZED"})
    void columnsThatDifferHaveNoRowsInCommon(String other) {
        assertThat(told("a\tUInt8\t").and(told(other))).isNull();
        assertThat(told("a\tUInt8\t").and(told("a\tUInt8\t", "b\tUInt8\t"))).isNull();
    }

    @Test
    void aTypeThatIsNestedDeeperThanAnyIsNone() {
        for (var depth : new int[] {65, 100_000})
            assertThat(TypeTree.of("Array(".repeat(depth) + "Int8" + ")".repeat(depth)))
                    .isNull();
        assertThat(TypeTree.of("Array(".repeat(64) + "Int8" + ")".repeat(64))).isNotNull();
    }

    @Test
    @DisplayName("CH-8: the order of columns makes no other layout")
    void theOrderOfColumnsIsNothing() {
        var layout = layout(told("a\tUInt8\t", "b\tUInt8\t"));
        assertThat(layout.alike(layout(told("b\tUInt8\t", "a\tUInt8\t")))).isTrue();
        assertThat(layout.alike(layout(told("b\tUInt8\t", "a\tInt8\t")))).isFalse();
        assertThat(layout.alike(layout(toldBy(TODAY + "zone\tEurope/Berlin\t\t\n", "a\tUInt8\t", "b\tUInt8\t"))))
                .isFalse();
    }

    @Test
    @DisplayName("CH-8: rows that ask for a default that a table lacks, or lean on its zone, are not for it")
    void rowsThatWouldMeanSomethingElse() {
        var layout = layout(told("a\tUInt8\tDEFAULT", "b\tUInt8\t"));
        assertThat(told("b\tUInt8\t", "a\tUInt8\tDEFAULT").takes(layout)).isTrue();
        assertThat(told("a\tUInt8\tDEFAULT", "b\tUInt8\tDEFAULT").takes(layout)).isTrue();
        assertThat(told("a\tUInt8\t", "b\tUInt8\t").takes(layout)).isFalse();
        assertThat(toldBy(TODAY + "zone\tEurope/Berlin\t\t\n", "a\tUInt8\tDEFAULT", "b\tUInt8\t")
                        .takes(layout))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Int8", "Int128"})
    @DisplayName("FMT-3: a whole number as a key has one spelling")
    void minusZeroIsNoKey(String type) {
        var layout = layout(told("m\tMap(" + type + ", UInt8)\t"));
        assertThat(fate(layout, "{\"m\":{\"0\":1,\"-1\":1}}")).isEqualTo("written");
        assertThat(fate(layout, "{\"m\":{\"-0\":1}}")).isEqualTo("bad_format");
    }

    @Test
    void anAnswerThatWasCutIsNone() {
        assertThat(ServerColumns.of("count\t2\t\t\ncolumn\ta\tUInt8\t\n")).isNull();
    }

    @Test
    void aTableWhoseColumnsNobodyShowsIsRefused() {
        assertThat(told().made("shop.t", Coordinates.NONE, hazards))
                .isInstanceOfSatisfying(
                        Made.Refused.class,
                        refused -> assertThat(refused.reason()).contains("shop.t", "rights"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "(",
                "Array(",
                "Array()",
                "Array(UInt8",
                "UInt8)",
                "Enum8('a = 1)",
                "Enum8('a' = )",
                "Tuple(a UInt8, String)",
                "Decimal(99999999999, 2)",
                "JSON(SKIP REGEXP 'a')",
                "Map(Float64, UInt8)",
                "Map(Nullable(String), UInt8)",
                "LowCardinality()"
            })
    void aTypeThatIsSpelledInNoKnownWayTakesNothing(String type) {
        assertThat(new Cells(true, JsonFields.Unknown.REFUSE, new IgnoredFields()).of(type))
                .isNull();
    }
}
