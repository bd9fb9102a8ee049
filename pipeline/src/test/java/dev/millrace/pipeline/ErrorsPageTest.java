package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// Holds docs/errors.md to the code. `-Dmillrace.golden.write=true` writes it anew; look at the difference then.
final class ErrorsPageTest {
    private static final Path PAGE = Path.of("../docs/errors.md");

    @Test
    void thePageHasWhatTheCodeSays() throws IOException {
        var text = ErrorsPage.text();
        if (Boolean.getBoolean("millrace.golden.write")) Files.writeString(PAGE, text);
        assertThat(text)
                .as("docs/errors.md; write it anew with -Dmillrace.golden.write=true")
                .isEqualTo(Files.exists(PAGE) ? Files.readString(PAGE) : "");
    }

    @Test
    void noWordIsExplainedThatNothingSays() throws IOException {
        assertThat(ErrorsPage.unsaid(OwnWords.failures())).isEmpty();
        assertThat(ErrorsPage.unsaid(OwnWords.poison())).isEmpty();
    }

    /// Enough is read of the code: a scan that finds nothing would hold the page to nothing.
    @Test
    void theCodeIsReadInFull() throws IOException {
        var texts = SpokenTexts.of(SpokenTexts.modules());
        assertThat(texts.calls("Finding.fault", "Finding.hazard", "Finding.note", "Finding.unreached"))
                .hasSizeGreaterThan(100);
        assertThat(texts.calls("StartRefused", "StartFailure")).hasSizeGreaterThan(35);
        assertThat(texts.calls("Failure")).hasSizeGreaterThan(30);
    }
}
