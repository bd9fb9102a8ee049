package dev.millrace.http;

import dev.millrace.http.Rule.Says;
import java.util.List;

/// The table of answers: what each status of HTTP says of the batch that it answers.
///
/// What is in no line is judged by its hundred: any 2xx has the rows, any 3xx points elsewhere, and of
/// anything else nobody knows what it did with them.
final class Answers {
    private static final String MEND_ADDRESS =
            "mend the shard's endpoint: rows go to no address that the file does" + " not name";
    private static final String MEND_REQUEST =
            "see http.method, http.content_type and http.compression, and what the" + " server takes";
    private static final String SEE_SERVER = "see the server's log";

    private static final Rule STORED = rule(200, Says.WRITTEN, false, "the rows are stored", "none");
    private static final Rule ELSEWHERE = rule(300, Says.SETTINGS, false, "redirects are not followed", MEND_ADDRESS);
    private static final Rule UNKNOWN =
            rule(0, Says.REPLICA, true, "an answer that says nothing of the rows", SEE_SERVER);

    static final List<Rule> TABLE = List.of(
            STORED,
            rule(
                    202,
                    Says.SETTINGS,
                    true,
                    "it took the rows in, and may yet lose them",
                    "let the server answer 200 when the rows are stored for good"),
            rule(
                    206,
                    Says.SETTINGS,
                    true,
                    "it may have taken a part of the batch",
                    "let the server answer 2xx when it has all rows, else 4xx or 5xx and none of them"),
            rule(
                    207,
                    Says.SETTINGS,
                    true,
                    "it speaks of rows one by one",
                    "let the server answer for the batch as a whole"),
            ELSEWHERE,
            // A server may take a POST, and point to a page about it.
            rule(302, Says.SETTINGS, true, "redirects are not followed", MEND_ADDRESS),
            rule(303, Says.SETTINGS, true, "redirects are not followed", MEND_ADDRESS),
            rule(
                    400,
                    Says.ROWS,
                    false,
                    "the rows are not accepted",
                    "see the dead letters (millrace dlq list), and mend who makes such rows"),
            rule(401, Says.LOGIN, false, "the login is not accepted", "mend http.user or http.bearer_token"),
            rule(402, Says.SETTINGS, false, "it asks for a payment", "see your account there"),
            rule(403, Says.LOGIN, false, "this login may not write here", "give it the right to"),
            rule(404, Says.SETTINGS, false, "there is no such address", MEND_ADDRESS),
            rule(405, Says.SETTINGS, false, "it does not take this method", "set http.method to what it takes"),
            rule(406, Says.SETTINGS, false, "it can't answer as it is asked to", MEND_REQUEST),
            rule(407, Says.LOGIN, false, "a proxy asks for a login", "name an address without a proxy in front"),
            rule(
                    408,
                    Says.OVERLOAD,
                    false,
                    "the request took it too long to come",
                    "raise its limit, or lower batch.max_bytes"),
            rule(409, Says.NOBODY, true, "it is still busy with this token", "none, unless it goes on"),
            rule(410, Says.SETTINGS, false, "the address is no more", MEND_ADDRESS),
            rule(411, Says.SETTINGS, false, "it wants to know the length before", "set http.compression: none"),
            rule(412, Says.SETTINGS, false, "it asks for a condition that was not met", MEND_REQUEST),
            rule(
                    413,
                    Says.SIZE,
                    false,
                    "more than it takes at once",
                    "lower batch.max_bytes or batch.max_rows, or raise the server's limit"),
            rule(414, Says.SETTINGS, false, "the address is too long", MEND_ADDRESS),
            rule(415, Says.SETTINGS, false, "it does not take this type or encoding", MEND_REQUEST),
            rule(417, Says.SETTINGS, false, "it does not take the request's conditions", MEND_REQUEST),
            rule(421, Says.SETTINGS, false, "this server is not the address's", MEND_ADDRESS),
            rule(
                    422,
                    Says.ROWS,
                    false,
                    "the rows are not accepted",
                    "see the dead letters (millrace dlq list), and mend who makes such rows"),
            rule(425, Says.OVERLOAD, false, "it is too early for it", "none, unless it goes on"),
            rule(426, Says.SETTINGS, false, "it wants another version of HTTP or TLS", "let it take HTTP/1.1"),
            rule(428, Says.SETTINGS, false, "it asks for a conditional request", MEND_REQUEST),
            rule(
                    429,
                    Says.OVERLOAD,
                    false,
                    "too many requests",
                    "raise its limit, or send less: batch.linger, inflight.max_per_shard"),
            rule(431, Says.SETTINGS, false, "the headers are too large", "see http.headers"),
            rule(451, Says.SETTINGS, false, "it may not take this by law", "see who runs the server"),
            rule(500, Says.REPLICA, true, "it failed", SEE_SERVER),
            rule(501, Says.SETTINGS, false, "it does not know this method or encoding", MEND_REQUEST),
            rule(502, Says.REPLICA, true, "what is behind it failed", SEE_SERVER),
            new Rule(503, true, Says.OVERLOAD, true, "it has too much to do", "give it more, or send less"),
            rule(503, Says.REPLICA, true, "it does not serve now", SEE_SERVER),
            rule(504, Says.REPLICA, true, "what is behind it did not answer", SEE_SERVER),
            rule(505, Says.SETTINGS, false, "it does not take HTTP/1.1", "let it take HTTP/1.1"),
            rule(507, Says.REPLICA, true, "it has no room left", "give it room"),
            rule(511, Says.SETTINGS, false, "the network asks for a login", "let this machine out without one"));

    private Answers() {}

    private static Rule rule(int status, Says says, boolean stored, String words, String remedy) {
        return new Rule(status, false, says, stored, words, remedy);
    }

    /// `named`: with the time to ask again.
    static Rule of(int status, boolean named) {
        for (var rule : TABLE) if (rule.status() == status && (named || !rule.named())) return rule;
        return switch (status / 100) {
            case 2 -> STORED;
            case 3 -> ELSEWHERE;
            default -> UNKNOWN;
        };
    }
}
