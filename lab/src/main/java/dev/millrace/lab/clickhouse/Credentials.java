package dev.millrace.lab.clickhouse;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Who a request says it is.
///
/// It says so in one place: `Authorization` (basic or bearer), the headers `X-ClickHouse-User` and `-Key`, or
/// the URL. In two it is refused, as by the server.
final class Credentials {
    private static final int AUTHENTICATION_FAILED = 516;

    private Credentials() {}

    /// The server's answer to a request that is not let in, or null.
    static @Nullable Answer refusal(RequestHead head, FrontSettings settings) {
        String authorization = head.header("authorization");
        boolean inHeaders = has(head, "x-clickhouse-user") || has(head, "x-clickhouse-key");
        boolean inUrl =
                head.parameters().containsKey("user") || head.parameters().containsKey("password");
        if ((authorization.isEmpty() ? 0 : 1) + (inHeaders ? 1 : 0) + (inUrl ? 1 : 0) > 1)
            return refused("Invalid authentication: it is not allowed to use several ways of authentication at once");
        if (authorization.toLowerCase(Locale.ROOT).startsWith("bearer "))
            return settings.tokens().contains(authorization.substring(7).strip())
                    ? null
                    : refused("Authentication failed: the token is not known");
        if (!authorization.isEmpty()) return basic(authorization, settings);
        if (inHeaders) return check(head.header("x-clickhouse-user"), head.header("x-clickhouse-key"), settings);
        return check(head.parameter("user"), head.parameter("password"), settings);
    }

    private static boolean has(RequestHead head, String name) {
        return head.headers().containsKey(name);
    }

    private static @Nullable Answer basic(String authorization, FrontSettings settings) {
        String[] words = authorization.split(" ", 2);
        if (words.length != 2 || !words[0].equalsIgnoreCase("basic"))
            return refused("Invalid authentication: '" + words[0] + "' HTTP Authorization scheme is not supported");
        try {
            byte[] decoded = Base64.getDecoder().decode(words[1].strip());
            String pair = new String(decoded, StandardCharsets.UTF_8);
            int colon = pair.indexOf(':');
            if (colon < 0) return check(pair, "", settings);
            return check(pair.substring(0, colon), pair.substring(colon + 1), settings);
        } catch (IllegalArgumentException failure) {
            return refused("Invalid authentication: " + failure.getMessage());
        }
    }

    private static @Nullable Answer check(String user, String password, FrontSettings settings) {
        String name = user.isEmpty() ? "default" : user;
        if (password.equals(settings.users().get(name))) return null;
        return refused(name + ": Authentication failed: password is incorrect, or there is no user with such name");
    }

    private static Answer refused(String message) {
        return Answer.exception(AUTHENTICATION_FAILED, "AUTHENTICATION_FAILED", message);
    }
}
