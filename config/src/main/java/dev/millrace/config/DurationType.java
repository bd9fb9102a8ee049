package dev.millrace.config;

import java.time.Duration;
import java.util.regex.Pattern;

/// A time span: a whole number and `ms`, `s`, `m` or `h`, within bounds.
record DurationType(Duration least, Duration most) implements ScalarType<Duration> {
    static final Pattern FORM = Pattern.compile("([0-9]{1,30})(ms|s|m|h)");
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,30}");

    static DurationType between(String least, String most) {
        return new DurationType(exact(least), exact(most));
    }

    private static Duration exact(String text) {
        var match = FORM.matcher(text);
        if (!match.matches()) throw new IllegalArgumentException(text + " is not a duration");
        // Twelve digits fit whatever the unit; more are above every bound.
        var digits = match.group(1);
        long number = digits.length() > 12 ? 999_999_999_999L : Long.parseLong(digits);
        return switch (match.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
        };
    }

    @Override
    public Parsed<Duration> parse(Text text) {
        var value = text.value();
        if (NUMBER.matcher(value).matches()) {
            return Parsed.bad(text + " has no unit; add ms, s, m or h (" + range() + ")");
        }
        if (!FORM.matcher(value).matches()) {
            return Parsed.bad(text + " is not a duration; write a whole number with ms, s, m or h (" + range() + ")");
        }
        var duration = exact(value);
        if (duration.compareTo(least) < 0 || duration.compareTo(most) > 0) {
            return Parsed.bad(text + " is out of bounds; write " + range());
        }
        return Parsed.good(duration);
    }

    private String range() {
        return text(least) + " to " + text(most);
    }

    @Override
    public String expected() {
        return "a duration from " + range() + ", such as 250ms, 5s, 2m or 1h";
    }

    /// The shortest way to write it.
    static String text(Duration duration) {
        long millis = duration.toMillis();
        if (millis == 0) return "0s";
        if (millis % 3_600_000 == 0) return millis / 3_600_000 + "h";
        if (millis % 60_000 == 0) return millis / 60_000 + "m";
        return millis % 1_000 == 0 ? millis / 1_000 + "s" : millis + "ms";
    }
}
