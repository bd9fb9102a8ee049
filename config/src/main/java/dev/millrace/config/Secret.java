package dev.millrace.config;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/// A value that is never printed: `toString` is `***`, and only [#reveal] gives the text.
///
/// A class and not a record, so that no accessor, pattern or generated `toString` shows it.
public final class Secret {
    private final String value;

    private Secret(String value) {
        this.value = value;
    }

    public static Secret of(String value) {
        return new Secret(value);
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
