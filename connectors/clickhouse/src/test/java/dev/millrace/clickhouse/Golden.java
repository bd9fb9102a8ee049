package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// A page of lines that a person has read, under the tests' resources. `-Dmillrace.golden.write=true` writes it anew.
final class Golden {
    private static final Path PAGES = Path.of("src/test/resources");

    private Golden() {}

    static List<String> read(String page) throws IOException {
        return Files.readAllLines(PAGES.resolve(page));
    }

    static void check(String page, List<String> lines) throws IOException {
        if (Boolean.getBoolean("millrace.golden.write")) Files.write(PAGES.resolve(page), lines);
        assertThat(lines).isEqualTo(read(page));
    }
}
