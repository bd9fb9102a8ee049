package dev.millrace.config;

import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/// Takes secrets out of a text: those of the file wherever they stand, what stands before the `@` of an address, and
/// what follows the name of a password.
public record Redaction(List<String> secrets) {
    /// What is shorter may be a part of any word.
    private static final int SHORTEST = 4;

    private static final String GONE = "***";
    private static final Pattern USER_INFO = Pattern.compile("(?<=://)[^\\s/@\"']{1,512}@");
    private static final Pattern NAMED = Pattern.compile(
            "(?i)((?:password|passwd|secret|api_?key|authorization)\"?(?:=|\":\\s*))(\"[^\"]*\"|[^\\s,;&}]+)");

    public static final Redaction NONE = new Redaction(List.of());

    public Redaction {
        secrets = List.copyOf(secrets);
    }

    /// Of all secrets of a file. The longest first: one may be a part of another.
    public static Redaction of(PipelineConfig config) {
        return new Redaction(SecretValues.of(config).stream()
                .filter(secret -> secret.length() >= SHORTEST)
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList());
    }

    /// Never what it holds.
    @Override
    public String toString() {
        return "Redaction of " + secrets.size() + " secrets";
    }

    public String of(String text) {
        var clean = text;
        for (var secret : secrets) clean = clean.replace(secret, GONE);
        if (clean.contains("://")) clean = USER_INFO.matcher(clean).replaceAll(GONE + "@");
        return NAMED.matcher(clean).replaceAll("$1" + GONE);
    }
}
