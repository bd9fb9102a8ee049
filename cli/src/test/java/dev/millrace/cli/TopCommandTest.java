package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TopCommandTest {
    @Test
    void whatMattersMostStandsFirstAndTheScreenIsNeverTooSmallForIt() {
        var screen = TopCommand.screen("shop  running\nWRONG  a\nWATCH  b\nOK     c\nmore\n", 4);
        assertThat(screen.lines())
                .containsExactly(
                        "\u001b[Hshop  running\u001b[0m\u001b[K",
                        "\u001b[1;31mWRONG  a\u001b[0m\u001b[K",
                        "and 3 lines more: --lines\u001b[K\u001b[J");
        assertThat(TopCommand.screen("one", 4)).isEqualTo("\u001b[Hone\u001b[0m\u001b[K\n\u001b[J");
    }
}
