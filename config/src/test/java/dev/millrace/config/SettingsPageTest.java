package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("CFG-7")
class SettingsPageTest {
    @Test
    void thePageIsTheOneOfTheDeclarations() throws IOException {
        Golden.hold(Path.of("../docs/settings.md"), SettingsPage.text());
    }

    @Test
    void whatIsNotBuiltIsListedAtTheEndOnly() {
        var page = SettingsPage.text();
        var end = page.indexOf("## Not built yet");
        assertThat(page.substring(0, end)).doesNotContain("avro", "protobuf");
        assertThat(page.substring(end)).contains("`format.avro` | the Avro and Protobuf formats");
    }
}
