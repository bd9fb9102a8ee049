package dev.millrace.httpclient;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What one request shows of who sends it. The secret is asked for each time.
final class Credentials {
    /// What a header can carry.
    private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]+");

    private Credentials() {}

    /// As the Authorization header wants it; null for nobody. Throws without a word of the secret in what it says of a
    /// token, and whatever a secret that can't be had throws.
    static @Nullable String of(Who who) {
        return switch (who) {
            case Who.Nobody _ -> null;
            case Who.User(var name, var password) -> {
                var pair = name + ':' + password.reveal();
                yield "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
            }
            case Who.Bearer(var token) -> "Bearer " + fit(token.reveal());
        };
    }

    private static String fit(String token) {
        if (!TOKEN.matcher(token).matches())
            throw new IllegalArgumentException("a token with blanks or what is not ASCII");
        return token;
    }

    /// Why there are none. The failure's own text stays untold: it is about a secret.
    static String missing(Who who, RuntimeException failure) {
        var what = switch (who) {
            case Who.Nobody _, Who.User _ -> "no password: ";
            case Who.Bearer _ -> "no token: ";
        };
        return what + failure.getClass().getSimpleName();
    }
}
