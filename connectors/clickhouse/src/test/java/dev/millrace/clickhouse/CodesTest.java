package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.clickhouse.Codes.Stored;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/// The table of codes as a page that a person has read.
class CodesTest {
    @Test
    @DisplayName("CH-4: every code that is known, whom it is about, and what became of the rows")
    void table() throws IOException {
        var lines = new ArrayList<String>();
        for (var rule : Codes.TABLE)
            lines.add(rule.code() + " | " + rule.name() + " | " + (rule.text() == null ? "" : rule.text()) + " | "
                    + rule.says() + " | " + rule.stored() + " | " + rule.words()
                    + (rule.tells() ? ", and the server's text" : "") + " | " + rule.source());
        Golden.check("codes.txt", lines);
    }

    @Test
    @DisplayName("CH-4: each line says what it rests on")
    void everyLineHasItsSource() {
        for (var rule : Codes.TABLE) assertThat(rule.source()).as(rule.name()).isNotBlank();
    }

    @Test
    @DisplayName("CH-4: each line decides for its own code and for no other")
    void eachLineDecides() {
        var seen = new HashSet<Integer>();
        for (var rule : Codes.TABLE) {
            var text = rule.text() == null ? "anything" : "before " + rule.text() + " behind";
            assertThat(Codes.of(rule.code(), text)).isEqualTo(rule);
            if (rule.text() == null)
                assertThat(seen.add(rule.code())).as(rule.name()).isTrue();
        }
        assertThat(Codes.of(0, "")).isEqualTo(Codes.UNKNOWN);
    }

    @Test
    @DisplayName("CH-8: a header that the table no longer fits is about the table, unless a row only says so")
    void header() {
        var retyped = "Code: 117. DB::Exception: Type of 'd' must be UInt16, not UInt32: (while reading header): While"
                + " executing BinaryRowInputFormat. (INCORRECT_DATA)";
        assertThat(Codes.of(117, retyped)).isEqualTo(Codes.OTHER_COLUMNS);
        assertThat(Codes.of(117, retyped.replace("Type of 'd'", "Unknown field found in format header: 'd'")))
                .isEqualTo(Codes.OTHER_COLUMNS);
        assertThat(Codes.of(
                                117,
                                "Code: 117. DB::Exception: Unknown field found while parsing JSONEachRow format: "
                                        + retyped)
                        .says())
                .isEqualTo(Codes.Says.ROWS);
    }

    @Test
    @DisplayName("CH-5: no error that blames rows or their number may come after rows were stored")
    void rowsAreBlamedOnlyBefore() {
        for (var rule : Codes.TABLE) {
            var splits = List.of(Codes.Says.ROWS, Codes.Says.SIZE).contains(rule.says());
            if (splits) assertThat(rule.stored()).as(rule.name()).isEqualTo(Stored.NONE);
        }
        assertThat(Codes.UNKNOWN.stored()).isEqualTo(Stored.PERHAPS);
        assertThat(Codes.THREW_IN_VIEW.stored()).isEqualTo(Stored.PERHAPS);
    }
}
