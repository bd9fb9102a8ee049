package dev.millrace.cli;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// Takes secrets out of a text: those of the file wherever they stand, what stands before the `@` of an address, and
/// what follows the name of a password.
record Redaction(List<String> secrets) {
    /// What is shorter may be a part of any word.
    private static final int SHORTEST = 4;

    private static final String GONE = "***";
    private static final Pattern USER_INFO = Pattern.compile("(?<=://)[^\\s/@\"']{1,512}@");
    private static final Pattern NAMED = Pattern.compile(
            "(?i)((?:password|passwd|secret|api_?key|authorization)\"?(?:=|\":\\s*))(\"[^\"]*\"|[^\\s,;&}]+)");

    static final Redaction NONE = new Redaction(List.of());

    /// The longest first: one may be a part of another.
    static Redaction of(Set<String> secrets) {
        return new Redaction(secrets.stream()
                .filter(secret -> secret.length() >= SHORTEST)
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList());
    }

    String of(String text) {
        var clean = text;
        for (var secret : secrets) clean = clean.replace(secret, GONE);
        if (clean.contains("://")) clean = USER_INFO.matcher(clean).replaceAll(GONE + "@");
        return NAMED.matcher(clean).replaceAll("$1" + GONE);
    }
}
