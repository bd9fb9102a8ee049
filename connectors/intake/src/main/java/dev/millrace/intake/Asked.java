package dev.millrace.intake;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// What the query of a request asks for: under which key its rows go, and whether to wait for them.
///
/// Thread ownership: the request's thread.
final class Asked {
    private static final int LONGEST_KEY = 1024;

    private final byte @Nullable [] key;
    private final boolean waits;

    private Asked(byte @Nullable [] key, boolean waits) {
        this.key = key;
        this.waits = waits;
    }

    /// Null for a query that asks for anything else, or for the same twice.
    static @Nullable Asked of(@Nullable String rawQuery) {
        byte[] key = null;
        var waits = false;
        if (rawQuery == null || rawQuery.isEmpty()) return new Asked(null, false);
        for (var part : rawQuery.split("&", -1)) {
            if (part.equals("wait=durable") && !waits) {
                waits = true;
            } else {
                if (key != null || !part.startsWith("key=")) return null;
                key = key(part.substring("key=".length()));
                if (key == null) return null;
            }
        }
        return new Asked(key, waits);
    }

    private static byte @Nullable [] key(String raw) {
        try {
            var key = URLDecoder.decode(raw, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
            return key.length == 0 || key.length > LONGEST_KEY ? null : key;
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    byte @Nullable [] key() {
        return key;
    }

    boolean waits() {
        return waits;
    }
}
