package dev.millrace.clickhouse;

import dev.millrace.clickhouse.ClickHouseSettings.Secret;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A password in a file, read each time it is asked for: what is written there is taken up at the next request.
///
/// One line break at the end is not of it. Prints its path alone.
///
/// Thread ownership: immutable.
public record PasswordFile(Path file) implements Secret {
    private static final long MOST_BYTES = 64 << 10;

    @Override
    public String reveal() {
        try {
            if (Files.size(file) > MOST_BYTES)
                throw new IllegalStateException("the password's file " + file + " is above 64 KiB");
            var text = Files.readString(file);
            if (text.endsWith("\r\n")) return text.substring(0, text.length() - 2);
            return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
        } catch (IOException failure) {
            throw new UncheckedIOException("the password's file " + file + " can't be read", failure);
        }
    }
}
