package dev.millrace.config;

import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Takes secrets out of a text: those of the file wherever they stand, also where a text was cut in the middle of one,
/// what stands before the `@` of an address, and what follows the name of a password or of a header with a login.
public record Redaction(List<String> secrets) {
    /// What is shorter may be a part of any word.
    private static final int SHORTEST = 4;

    private static final String GONE = "***";
    private static final char CUT = '…';
    private static final Pattern USER_INFO = Pattern.compile("(?<=://)[^\\s/@\"']{1,512}@");
    private static final Pattern NAMED = Pattern.compile(
            "(?i)((?:password|passwd|secret|api_?key|authorization)\"?(?:=|\":\\s*))(\"[^\"]*\"|[^\\s,;&}]+)");

    private static final Pattern HEADER = Pattern.compile(
            "(?i)((?:authorization|cookie)\"?\\s?:\\s?\"?(?:(?:basic|bearer|digest|token)\\s)?)([^\\s,;\"'}]+)");

    public static final Redaction NONE = new Redaction(List.of());

    public Redaction {
        secrets = List.copyOf(secrets);
    }

    /// Of all secrets of a file. The longest first: one may be a part of another.
    public static Redaction of(PipelineConfig config) {
        return sorted(SecretValues.of(config).stream().filter(secret -> secret.length() >= SHORTEST));
    }

    private static Redaction sorted(Stream<String> secrets) {
        return new Redaction(secrets.distinct()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList());
    }

    /// Of all secrets of both.
    public Redaction and(Redaction other) {
        return sorted(Stream.concat(secrets.stream(), other.secrets.stream()));
    }

    /// Never what it holds.
    @Override
    public String toString() {
        return "Redaction of " + secrets.size() + " secrets";
    }

    public String of(String text) {
        var clean = text;
        for (var cut = clean.indexOf(CUT); cut >= 0; cut = clean.indexOf(CUT, cut + 1)) {
            var before = clean.substring(0, cut - begunBefore(clean, cut));
            var behind = clean.substring(cut + 1 + endedAt(clean, cut + 1));
            clean = before
                    + (before.length() < cut ? GONE : "")
                    + CUT
                    + (behind.length() < clean.length() - cut - 1 ? GONE : "")
                    + behind;
            if (before.length() < cut) cut = before.length() + GONE.length();
        }
        for (var secret : secrets) clean = clean.replace(secret, GONE);
        if (clean.contains("://")) clean = USER_INFO.matcher(clean).replaceAll(GONE + "@");
        clean = HEADER.matcher(clean).replaceAll("$1" + GONE);
        return NAMED.matcher(clean).replaceAll("$1" + GONE);
    }

    /// How much of a secret's beginning stands in front of the place where a text was cut.
    private int begunBefore(String text, int cut) {
        var most = 0;
        for (var secret : secrets)
            for (var length = Math.min(secret.length(), cut); length >= SHORTEST && length > most; length--)
                if (text.startsWith(secret.substring(0, length), cut - length)) most = length;
        return most;
    }

    /// How much of a secret's end stands where a text goes on behind a cut.
    private int endedAt(String text, int from) {
        var most = 0;
        for (var secret : secrets)
            for (var length = secret.length(); length >= SHORTEST && length > most; length--)
                if (text.startsWith(secret.substring(secret.length() - length), from)) most = length;
        return most;
    }
}
