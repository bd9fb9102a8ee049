package dev.millrace.config;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A value that is never printed: `toString` is `***`, and only [#reveal] gives the text.
///
/// A class and not a record, so that no accessor, pattern or generated `toString` shows it.
public final class Secret {
    private final String value;
    private final @Nullable Supplier<String> again;

    private Secret(String value, @Nullable Supplier<String> again) {
        this.value = value;
        this.again = again;
    }

    public static Secret of(String value) {
        return new Secret(value, null);
    }

    /// One that a `${file:}` brought, and that may be another by now: `again` reads it anew, or throws without a word
    /// of it.
    static Secret of(String value, Supplier<String> again) {
        return new Secret(value, again);
    }

    boolean fromFile() {
        return again != null;
    }

    /// The text itself as it was read first, for the one call that needs it. Never log or keep what this returns.
    public String reveal() {
        return value;
    }

    /// The same as it is now: what a `${file:}` brings in is read again. Blocks for as long as that takes. Throws
    /// `IllegalStateException` where it cannot be read any more.
    public String current() {
        return again == null ? value : again.get();
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
