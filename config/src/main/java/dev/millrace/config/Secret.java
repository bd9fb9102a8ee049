package dev.millrace.config;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/// A value that is never printed: `toString` is `***`, and only [#reveal] gives the text.
///
/// A class and not a record, so that no accessor, pattern or generated `toString` shows it.
public final class Secret {
    private final String value;
    private final @Nullable Path file;

    private Secret(String value, @Nullable Path file) {
        this.value = value;
        this.file = file;
    }

    public static Secret of(String value) {
        return new Secret(value, null);
    }

    static Secret of(String value, Path file) {
        return new Secret(value, file);
    }

    /// The file that all of it was read from, for who reads it again when it was changed there. Null where it came in
    /// otherwise.
    public @Nullable Path file() {
        return file;
    }

    /// The text itself, for the one call that needs it. Never log or keep what this returns.
    public String reveal() {
        return value;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Secret that
                && MessageDigest.isEqual(
                        value.getBytes(StandardCharsets.UTF_8), that.value.getBytes(StandardCharsets.UTF_8));
    }

    /// The same for every secret, so that a hash in a log tells nothing.
    @Override
    public int hashCode() {
        return Secret.class.hashCode();
    }

    @Override
    public String toString() {
        return "***";
    }
}
