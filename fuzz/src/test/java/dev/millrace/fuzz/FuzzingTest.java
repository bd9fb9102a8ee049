package dev.millrace.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FuzzingTest {
    private static final Duration AMPLE = Duration.ofSeconds(60);

    @TempDir
    private Path directory = Path.of("");

    private Corpus corpus(String... lines) throws IOException {
        return Corpus.of(Files.write(directory.resolve("Target.txt"), List.of(lines)));
    }

    @Test
    void anyInputStandsInACorpusAsOneLineOfAscii() throws IOException {
        var all = new byte[256];
        for (var i = 0; i < all.length; i++) all[i] = (byte) i;
        for (var input : List.of(
                all, new byte[0], "a ".getBytes(StandardCharsets.UTF_8), "\\n# >".getBytes(StandardCharsets.UTF_8))) {
            var line = Corpus.line(input);
            assertThat(line).matches("> [\\x20-\\x7e]*[\\x21-\\x7e]|>");
            assertThat(corpus("# for people", line, "").all()).containsExactly(input);
        }
    }

    @Test
    void whatAFuzzerFoundTakesThePlaceOfWhatItFoundBefore() throws IOException {
        var corpus = corpus("# a seed", "> a", Corpus.FOUND, "> old");
        corpus.found(List.of(bytes("ccc"), bytes("b"), bytes("a"), bytes("b")));
        assertThat(Files.readAllLines(corpus.file())).containsExactly("# a seed", "> a", Corpus.FOUND, "> b", "> ccc");
        assertThat(Corpus.of(corpus.file()).written()).containsExactly(bytes("a"));
        assertThat(Corpus.of(corpus.file()).all()).containsExactly(bytes("a"), bytes("b"), bytes("ccc"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void aFaultOfAKeptInputIsToldWithTheLeastOfItThatShowsIt() throws IOException {
        FuzzTarget target = input -> {
            if (new String(input, StandardCharsets.ISO_8859_1).contains("!!")) throw new IllegalStateException("told");
        };
        var corpus = corpus("> good", "> many letters, and !! and more");
        assertThatThrownBy(() -> Fuzzing.of(target, corpus).run(0, AMPLE))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("\n> !!\n")
                .hasRootCauseMessage("told");
    }

    @Test
    void chanceMakesOfKeptInputsWhatNoneOfThemIs() throws IOException {
        FuzzTarget target = input -> {
            if (Arrays.equals(input, bytes("keptkept"))) throw new IllegalStateException("doubled");
        };
        assertThatThrownBy(() -> Fuzzing.of(target, corpus("> kept")).run(200_000, AMPLE))
                .hasMessageContaining("> keptkept\n");
    }

    @Test
    void theSameInputsAreMadeEachTime() throws IOException {
        var corpus = corpus("> some", "> inputs");
        var rounds = new ArrayList<List<String>>();
        for (var round = 0; round < 2; round++) {
            var taken = new ArrayList<String>();
            rounds.add(taken);
            assertThat(Fuzzing.of(input -> taken.add(Corpus.line(input)), corpus)
                            .run(1000, AMPLE))
                    .isEqualTo(1000);
        }
        assertThat(rounds.getFirst()).isEqualTo(rounds.getLast()).hasSize(1002);
        assertThat(rounds.getFirst().stream().distinct().count()).isGreaterThan(500);
    }

    @Test
    void anInputIsReadAsChoicesAndAsNothingBehindItsEnd() {
        var draw = new Draw(new byte[] {2, 1, 0, 5, 3, 'a', 'b'});
        assertThat(draw.number()).isEqualTo(256);
        assertThat(draw.below(4)).isEqualTo(1);
        assertThat(draw.ended()).isFalse();
        assertThat(draw.text(10)).isEqualTo("ab");
        assertThat(draw.ended()).isTrue();
        assertThat(draw.number()).isZero();
        assertThat(draw.bytes(4)).isEmpty();
        assertThat(draw.rest()).isEmpty();
        assertThat(draw.yes()).isFalse();
    }

    @Test
    void theReferenceKnowsGoodJsonFromBad() {
        assertThat(Json.read(bytes(" {\"a\":[1.50,true,null,\"\\u0041\"]} ")))
                .isEqualTo(new Json.Found(
                        new Json.Members(java.util.Map.of(
                                "a",
                                new Json.Listed(List.of(
                                        new Json.Numeral("1.50"),
                                        new Json.Truth(true),
                                        new Json.Nothing(),
                                        new Json.Text("A"))))),
                        false));
        assertThat(Json.read(bytes("{\"a\":1,\"a\":2}"))).matches(found -> found != null && found.twice());
        for (var bad : List.of("", "{", "{} {}", "{'a':1}", "{\"a\":01}", "{\"a\":NaN}", "\ufeff{}"))
            assertThat(Json.read(bytes(bad))).as(bad).isNull();
        assertThat(Json.read(new byte[] {'"', (byte) 0xC0, '"'})).isNull();
    }
}
