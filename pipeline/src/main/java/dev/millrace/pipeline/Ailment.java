package dev.millrace.pipeline;

import dev.millrace.clickhouse.ErrorExplanation;
import dev.millrace.http.AnswerExplanation;
import dev.millrace.sinkpool.Failure;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What ails a replica, in words for a person who has never seen its errors, and what helps.
///
/// Decides nothing: what is done about a failure is decided by type and code, where it happens. `says` stands after one
/// replica, `say` after several: "refuses connections".
record Ailment(String says, String say, String remedy) {
    private record Known(Pattern in, Ailment ailment) {}

    private static final Set<String> PASSWORD =
            Set.of("28P01", "28000", "516", "193", "192", "http-401", "http-403", "no-password");
    /// 57014 is what PostgreSQL says when it has heard of our deadline.
    private static final Set<String> TIME = Set.of("timeout", "deadline", "57014");
    private static final Pattern STATUS = Pattern.compile("http-([1-5][0-9]{2})");

    private static final Ailment CREDENTIALS = new Ailment(
            "does not accept the user or password",
            "do not accept the user or password",
            "Put the right password where the pipeline's file takes it from.");
    private static final Ailment SILENT = new Ailment(
            "does not answer in time",
            "do not answer in time",
            "Look at the server's load and disk, and at the network on the way to it.");
    private static final Ailment SLOW = new Ailment(
            "is too slow",
            "are too slow",
            "Look at the server's load and disk; breaker.slow_call says what is too slow.");

    private static final List<Known> IN_WORDS = List.of(
            new Known(
                    words("refused|no connection$"),
                    new Ailment(
                            "refuses connections",
                            "refuse connections",
                            "Start the server, or look why nothing listens there.")),
            new Known(
                    words("no such host|unknown ?host|unresolved|not known"),
                    new Ailment(
                            "cannot be found by its name",
                            "cannot be found by their names",
                            "Look at the name in the pipeline's file, and at DNS.")),
            new Known(words("timed out|in time|no answer|deadline"), SILENT),
            new Known(
                    words("certificate|no TLS|SSL"),
                    new Ailment(
                            "is not trusted: TLS fails",
                            "are not trusted: TLS fails",
                            "Look at the server's certificate and at tls.ca_file.")),
            new Known(
                    words("reset|broken pipe|closed|end of (stream|file)|I/O error"),
                    new Ailment(
                            "breaks connections off",
                            "break connections off",
                            "Look at the server's log, and at proxies on the way to it.")));

    private static Pattern words(String any) {
        return Pattern.compile(any, Pattern.CASE_INSENSITIVE);
    }

    static Ailment of(@Nullable Failure failure) {
        if (failure == null) return new Ailment("is not tried yet", "are not tried yet", "Wait a moment.");
        if (PASSWORD.contains(failure.code())) return CREDENTIALS;
        if (TIME.contains(failure.code())) return SILENT;
        if (failure.code().equals("slow_call")) return SLOW;
        for (var known : IN_WORDS) if (known.in().matcher(failure.message()).find()) return known.ailment();
        var fails = EventRing.cut(failure.toString());
        return new Ailment("fails (" + fails + ")", "fail (" + fails + ")", remedy(failure));
    }

    /// What the tables have that judge a store's answers, as a sentence.
    static String remedy(Failure failure) {
        var known = known(failure.code());
        var remedy = known == null ? "see the server's log for " + failure.code() : known;
        return Character.toUpperCase(remedy.charAt(0)) + remedy.substring(1) + ".";
    }

    private static @Nullable String known(String code) {
        var status = STATUS.matcher(code);
        if (status.matches())
            return AnswerExplanation.of(Integer.parseInt(status.group(1)))
                    .getFirst()
                    .remedy();
        for (var one : dev.millrace.postgres.ErrorExplanation.of(code)) if (one.known()) return one.remedy();
        for (var one : ErrorExplanation.of(code)) if (one.known()) return one.remedy();
        return null;
    }
}
