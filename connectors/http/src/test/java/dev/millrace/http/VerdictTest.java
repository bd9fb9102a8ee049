package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.httpclient.Answer;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What each answer says, without a line.
class VerdictTest {
    private static final Path PAGE = Path.of("../../docs/http.md");

    private static Answer answer(int status, String... headers) {
        var map = new java.util.HashMap<String, List<String>>();
        for (var i = 0; i < headers.length; i += 2) map.put(headers[i], List.of(headers[i + 1]));
        return new Answer(status, HttpHeaders.of(map, (_, _) -> true), "", true, false);
    }

    private static WriteOutcome of(int status, String... headers) {
        return Verdict.of(answer(status, headers), 10);
    }

    /// The page is where a person reads the table.
    @Test
    @Tag("WRT-3")
    @DisplayName("WRT-3: the table of answers is the one that docs/http.md shows")
    void thePageShowsTheTable() throws IOException {
        var table = Answers.TABLE.stream().map(VerdictTest::line).toList();
        var page = Files.readAllLines(PAGE);
        var first = page.indexOf(table.getFirst());
        assertThat(first)
                .as("the page lacks the line %s; all of them:%n%s", table.getFirst(), String.join("\n", table))
                .isNotNegative();
        assertThat(page.subList(first, Math.min(page.size(), first + table.size())))
                .isEqualTo(table);
    }

    private static String line(Rule rule) {
        return "| " + rule.status() + (rule.named() ? " with `Retry-After`" : "") + " | " + rule.words() + " | "
                + rule.says() + " | "
                + (rule.says() == Rule.Says.WRITTEN ? "all" : rule.stored() ? "perhaps" : "none") + " | "
                + rule.remedy() + " |";
    }

    @Test
    @Tag("WRT-3")
    @DisplayName("WRT-3: nothing that divides a batch may come after rows were stored")
    void whatDividesHasStoredNothing() {
        assertThat(Answers.TABLE)
                .filteredOn(rule -> rule.says() == Rule.Says.ROWS || rule.says() == Rule.Says.SIZE)
                .isNotEmpty()
                .allMatch(rule -> !rule.stored());
    }

    @Test
    void everyStatusHasAVerdictAndNothingButTheTwoHundredsIsWritten() {
        for (var status : IntStream.rangeClosed(100, 599).toArray()) {
            var written = of(status) instanceof WriteOutcome.Written;
            assertThat(written)
                    .as("%d", status)
                    .isEqualTo(status / 100 == 2 && status != 202 && status != 206 && status != 207);
        }
    }

    @Test
    void anAnswerThatIsCutIsNoSuccess() {
        var cut = new Answer(200, HttpHeaders.of(Map.of(), (_, _) -> true), "", false, false);
        assertThat(Verdict.of(cut, 10)).isInstanceOfSatisfying(WriteOutcome.Unavailable.class, outcome -> {
            assertThat(outcome.failure().mayHaveStored()).isTrue();
            assertThat(outcome.blame()).isEqualTo(new Blame.Replica());
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            408 | 5      | 5
            425 |        | 0
            429 | 5      | 5
            429 | 0      | 0
            429 | -5     | 0
            429 | soon   | 0
            429 | 999999999999 | 0
            503 | 5      | 5
            429 | Mon, 30 Nov 2026 10:00:07 GMT | 7
            429 | Mon, 30 Nov 2026 09:00:00 GMT | 0
            """)
    @Tag("BRK-12")
    @DisplayName("BRK-12: an overload names its pause in seconds, or as a date that counts from the answer's own")
    void overload(int status, String retryAfter, long seconds) {
        var said = retryAfter == null ? "" : retryAfter;
        var outcome = of(status, "Retry-After", said, "Date", "Mon, 30 Nov 2026 10:00:00 GMT");
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        WriteOutcome.Unavailable.class,
                        it -> assertThat(it.blame()).isEqualTo(new Blame.Overload(seconds * 1_000_000_000)));
    }

    @Test
    void aDateWithoutTheAnswersOwnSaysNothing() {
        assertThat(of(429, "Retry-After", "Mon, 30 Nov 2026 10:00:07 GMT"))
                .isInstanceOfSatisfying(
                        WriteOutcome.Unavailable.class,
                        it -> assertThat(it.blame()).isEqualTo(new Blame.Overload(0)));
    }

    @Test
    @Tag("BRK-12")
    void aServerThatIsDownWithoutATimeIsAReplicasTrouble() {
        assertThat(of(503))
                .isInstanceOfSatisfying(
                        WriteOutcome.Unavailable.class,
                        it -> assertThat(it.blame()).isEqualTo(new Blame.Replica()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0   | 0
            9   | 9
            10  | -1
            -1  | -1
            x   | -1
            9999999999 | -1
            """)
    void theRowThatIsNamedIsOneOfThoseSent(String named, int hint) {
        assertThat(of(422, "Millrace-Row", named))
                .isInstanceOfSatisfying(
                        WriteOutcome.Refused.class,
                        it -> assertThat(it.rowHint()).isEqualTo(hint));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            https://other:99/a?token=s3cret | https://other:99
            https://me:s3cret@other/a       | https://other
            //other/s3cret                  | other
            /s3cret                         | another path of this server
            s3cret s3cret                   | what is no address
            """)
    void aRedirectIsToldByItsHostAlone(String location, String told) {
        assertThat(of(307, "Location", location)).isInstanceOfSatisfying(WriteOutcome.Misconfigured.class, it -> {
            assertThat(it.failure().message()).endsWith("it points to " + told).doesNotContain("s3cret");
            assertThat(it.failure().mayHaveStored()).isFalse();
        });
    }

    @Test
    void theServersReasonIsToldAndBounded() {
        assertThat(of(400, "Millrace-Reason", "x".repeat(5000)))
                .isInstanceOfSatisfying(
                        WriteOutcome.Refused.class,
                        it -> assertThat(it.failure().message())
                                .startsWith("HTTP 400: the rows are not accepted (xxx")
                                .hasSizeLessThan(300));
    }

    @Test
    void everyLineIsExplained() {
        for (var rule : Answers.TABLE)
            assertThat(AnswerExplanation.of(rule.status())).anySatisfy(it -> {
                assertThat(it.known()).isTrue();
                assertThat(it.means()).startsWith(rule.words());
                assertThat(it.remedy()).isEqualTo(rule.remedy());
            });
        assertThat(AnswerExplanation.of(503)).hasSize(2);
        assertThat(AnswerExplanation.of(201)).singleElement().matches(AnswerExplanation::known);
        assertThat(AnswerExplanation.of(418)).singleElement().matches(it -> !it.known());
        assertThat(AnswerExplanation.of(700)).isEmpty();
    }
}
