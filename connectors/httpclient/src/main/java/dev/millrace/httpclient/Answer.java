package dev.millrace.httpclient;

import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What a server answered, read within bounds.
///
/// `text` is the beginning and the end of the body, as it came; `gapped`: there was more between them.
/// `whole`: the body was read to its end.
public record Answer(int status, HttpHeaders headers, String text, boolean whole, boolean gapped) {
    private static final long MOST_SECONDS = 999_999_999;
    private static final Pattern SECONDS = Pattern.compile("\\d{1,9}");

    public static Answer of(int status, HttpHeaders headers, BoundedText.Read body) {
        return new Answer(status, headers, body.text(), body.whole(), body.gapped());
    }

    /// Without blanks at its ends; empty where there is none.
    public String header(String name) {
        return headers.firstValue(name).orElse("").strip();
    }

    /// After how many seconds the server wants to be asked again; 0 where it does not say. A date counts
    /// from the answer's own, so that nobody's clock has to be right.
    public long retryAfterSeconds() {
        var text = header("Retry-After");
        if (SECONDS.matcher(text).matches()) return Long.parseLong(text);
        var then = date(text);
        var now = date(header("Date"));
        if (then == null || now == null) return 0;
        return Math.clamp(Duration.between(now, then).toSeconds(), 0, MOST_SECONDS);
    }

    private static @Nullable ZonedDateTime date(String text) {
        try {
            return text.isEmpty() ? null : ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME);
        } catch (DateTimeException _) {
            return null;
        }
    }
}
