package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A file that holds what a test made. `-Dmillrace.golden.write=true` writes it anew; look at the difference then.
final class Golden {
    private Golden() {}

    static void hold(Path file, String text) throws IOException {
        if (Boolean.getBoolean("millrace.golden.write")) Files.writeString(file, text);
        var held = Files.exists(file) ? Files.readString(file) : "";
        assertThat(text)
                .as("%s; write it anew with -Dmillrace.golden.write=true", file)
                .isEqualTo(held);
    }
}
