package dev.millrace.clickhouse;

import static dev.millrace.clickhouse.Stub.exception;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.clickhouse.ClickHouseSettings.Format;
import dev.millrace.clickhouse.ClickHouseSettings.Limits;
import dev.millrace.clickhouse.ClickHouseSettings.Login;
import dev.millrace.clickhouse.ClickHouseSettings.Rows;
import dev.millrace.clickhouse.ClickHouseSettings.UnknownFields;
import dev.millrace.clickhouse.Codes.Stored;
import dev.millrace.clickhouse.VerdictOverride.Blames;
import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.Tls;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import dev.millrace.sinkpool.WriteOutcome.Misconfigured;
import dev.millrace.sinkpool.WriteOutcome.Refused;
import dev.millrace.sinkpool.WriteOutcome.TooLarge;
import dev.millrace.sinkpool.WriteOutcome.Unavailable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Verdicts of the pipeline's file.
@Timeout(120)
class VerdictsTest {
    private static VerdictOverride override(int code, @Nullable String text, Blames blames) {
        return new VerdictOverride(code, text, blames);
    }

    private static WriteOutcome write(Stub.Turn turn, VerdictOverride... verdicts) throws Exception {
        var settings = new ClickHouseSettings(
                "shop",
                "events",
                new Login("ingest", () -> "s3cret", Tls.DEFAULTS),
                new Rows(Format.JSON_EACH_ROW, UnknownFields.REFUSE),
                Compression.NONE,
                new Limits(Duration.ofSeconds(20)),
                Map.of(),
                List.of(verdicts));
        try (var stub = Stub.listen(turn);
                var bench = Bench.open(settings, stub.uri())) {
            return bench.write("{\"id\":1}", "{\"id\":2}");
        }
    }

    private static Stub.Turn says(int code, String text) {
        return exception("500 Internal Server Error", code, text);
    }

    @Test
    @DisplayName("CH-4: the file decides whom an error blames, and the writer goes by it")
    void theFileDecides() throws Exception {
        assertThat(write(says(60, ""), override(60, null, Blames.WAIT)))
                .isInstanceOfSatisfying(Unavailable.class, away -> {
                    assertThat(away.blame()).isEqualTo(new Blame.Nobody());
                    assertThat(away.failure().mayHaveStored()).isFalse();
                });
        assertThat(write(says(60, ""), override(60, null, Blames.ROWS))).isInstanceOf(Refused.class);
        assertThat(write(says(60, ""), override(60, null, Blames.SIZE))).isInstanceOf(TooLarge.class);
        assertThat(write(says(27, ""), override(27, null, Blames.SETTINGS))).isInstanceOf(Misconfigured.class);
        assertThat(write(says(27, ""), override(27, null, Blames.OVERLOAD)))
                .isInstanceOfSatisfying(
                        Unavailable.class, away -> assertThat(away.blame()).isEqualTo(new Blame.Overload(0)));
        assertThat(write(says(27, ""), override(27, null, Blames.REPLICA)))
                .isInstanceOfSatisfying(
                        Unavailable.class, away -> assertThat(away.blame()).isEqualTo(new Blame.Replica()));
        assertThat(write(says(27, ""), override(26, null, Blames.WAIT))).isInstanceOf(Refused.class);
    }

    @Test
    @DisplayName("CH-4: a verdict with a text is for answers that hold it, and comes before one without")
    void theNarrowestComesFirst() throws Exception {
        var all = new VerdictOverride[] {
            override(252, null, Blames.SETTINGS),
            override(252, "Too many", Blames.WAIT),
            override(252, "Too many parts (7)", Blames.REPLICA)
        };
        assertThat(write(says(252, "nothing of it"), all)).isInstanceOf(Misconfigured.class);
        assertThat(((Unavailable) write(says(252, "Too many parts (3)"), all)).blame())
                .isEqualTo(new Blame.Nobody());
        assertThat(((Unavailable) write(says(252, "Too many parts (7)"), all)).blame())
                .isEqualTo(new Blame.Replica());
    }

    @Test
    @DisplayName("CH-5: no verdict of the file's takes from an error that rows may be stored, known or not")
    void whatMayBeStoredStays() throws Exception {
        for (var code : new int[] {319, 210, 241, 9999})
            for (var blames : Blames.values()) {
                var outcome = write(says(code, "(at row 2)"), override(code, null, blames));
                var failure = switch (outcome) {
                    case Refused(var why, var _) -> why;
                    case TooLarge(var why) -> why;
                    case Misconfigured(var why) -> why;
                    case Unavailable(var why, var _) -> why;
                    case WriteOutcome.Written _ -> throw new AssertionError("written");
                };
                assertThat(failure.mayHaveStored()).as(code + " as " + blames).isTrue();
            }
        for (var rule : Codes.TABLE)
            for (var blames : Blames.values())
                assertThat(rule.blaming(blames.says).stored()).isEqualTo(rule.stored());
    }

    @Test
    @DisplayName("CH-5: what a view threw stays ambiguous, whatever the file says of its code")
    void viewsAreNotJudgedAnew() throws Exception {
        var outcome = write(
                says(6, "Cannot parse: while pushing to view shop.mv. (CANNOT_PARSE_TEXT)"),
                override(6, null, Blames.ROWS));
        assertThat(((Unavailable) outcome).failure().mayHaveStored()).isTrue();
        assertThat(((Unavailable) outcome).blame()).isEqualTo(new Blame.Nobody());
    }

    @Test
    @DisplayName(
            "CH-8: a table that has other columns than typed rows name stays that, whatever the file says of its code")
    void otherColumnsAreNotJudgedAnew() throws Exception {
        assertThat(write(
                        says(117, "Unknown field found in format header: 'x' at position 1"),
                        override(117, null, Blames.ROWS)))
                .isInstanceOf(Misconfigured.class);
        assertThat(write(says(117, "Unknown field (at row 2)"), override(117, null, Blames.WAIT)))
                .isInstanceOf(Unavailable.class);
    }

    @Test
    @DisplayName("CH-5: a verdict that would take apart what may be stored is told at the start")
    void suchAVerdictIsTold() {
        var told = new Verdicts(List.of(
                        override(9999, null, Blames.ROWS),
                        override(319, "x", Blames.SIZE),
                        override(60, null, Blames.ROWS),
                        override(241, null, Blames.WAIT)))
                .hazards();
        assertThat(told).hasSize(2);
        assertThat(told.getFirst()).contains("319 x: size", "held whole");
        assertThat(told.getLast()).contains("9999: rows");
        assertThat(Codes.of(319, "x").stored()).isEqualTo(Stored.PERHAPS);
    }
}
