package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TopCommandTest {
    private static final int WIDE = 200;

    @Test
    void whatMattersMostStandsFirstAndTheScreenIsNeverTooSmallForIt() {
        var screen =
                TopCommand.screen("shop  running\nWRONG  a\nWATCH  b\nOK     c\nmore\n", new TerminalSize(4, WIDE));
        assertThat(screen.lines())
                .containsExactly(
                        "\u001b[Hshop  running\u001b[0m\u001b[K",
                        "\u001b[1;31mWRONG  a\u001b[0m\u001b[K",
                        "and 3 lines more, on a higher terminal\u001b[K\u001b[J");
        assertThat(TopCommand.screen("one", new TerminalSize(4, WIDE)))
                .isEqualTo("\u001b[Hone\u001b[0m\u001b[K\n\u001b[J");
    }

    private static Iterable<String> plain(String text, TerminalSize size) {
        return TopCommand.screen(text, size)
                .replaceAll("\u001b\\[[0-9;]*[A-Za-z]", "")
                .lines()
                .toList();
    }

    @Test
    void whatIsWrongIsShownInFullAndPushesNothingOffTheTop() {
        var text = "WRONG  one two three four five\n   do  six seven eight nine\npartition orders-0 and more\n";
        assertThat(plain(text, new TerminalSize(24, 16)))
                .containsExactly(
                        "WRONG  one two",
                        "       three",
                        "       four five",
                        "   do  six seven",
                        "       eight",
                        "       nine",
                        "partition order…");
        // Counted as it is shown.
        assertThat(plain(text, new TerminalSize(4, 16)))
                .containsExactly("WRONG  one two", "       three", "and 5 lines more, on a higher terminal");
        assertThat(plain("WRONG  onewordthatfitsnowhere", new TerminalSize(24, 16)))
                .containsExactly("WRONG  onewordth", "       atfitsnow", "       here");
    }

    @Test
    void lostContactIsToldAboveWhatWasSeenLast() {
        assertThat(TopCommand.lost("127.0.0.1:9090 does not answer", "03:12:05"))
                .startsWith("WRONG  No contact with the process since 03:12:05. What stands below is as it was then.\n")
                .endsWith("goes on asking. 127.0.0.1:9090 does not answer\n\n");
    }

    @Test
    void aTerminalThatDoesNotTellHasTheSizeOfTheVariables() {
        assertThat(TerminalSize.named(Map.of("LINES", "50", "COLUMNS", "132"))).isEqualTo(new TerminalSize(50, 132));
        assertThat(TerminalSize.named(Map.of("LINES", "many"))).isEqualTo(new TerminalSize(24, 80));
    }
}
