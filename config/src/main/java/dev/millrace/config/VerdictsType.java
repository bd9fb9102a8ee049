package dev.millrace.config;

import dev.millrace.config.ClickHouseConfig.Verdict;
import dev.millrace.config.ClickHouseConfig.Word;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Verdicts by an error's code, or by its code and a part of its text: `9999: replica`, `"252 Too
/// many parts": wait`.
record VerdictsType() implements ValueType<List<Verdict>> {
    static final int MOST = 100;
    static final int LONGEST_TEXT = 200;
    static final int HIGHEST_CODE = 999_999;

    static final ChoiceType<Word> WORD = ChoiceType.of(Word.class);

    /// No zero before it, so that a code has one spelling.
    static final Pattern KEY = Pattern.compile("([1-9]\\d{0,5})(?: (\\S(?:.{0,198}\\S)?))?");

    @Override
    public @Nullable List<Verdict> read(ConfigNode node, String path, boolean secret, Reading reading) {
        if (node instanceof ConfigNode.Scalar scalar && scalar.isNothing()) return List.of();
        if (!(node instanceof ConfigNode.Mapping mapping)) {
            reading.wrongKind(node, path, expected());
            return null;
        }
        if (mapping.entries().size() > MOST) {
            reading.problems().error(node.place(), path, "has more than " + MOST + " verdicts; keep those that differ");
            return null;
        }
        var all = new ArrayList<Verdict>();
        for (var entry : mapping.entries()) {
            var one = verdict(entry, path, reading);
            if (one != null) all.add(one);
        }
        return all.size() == mapping.entries().size() ? all : null;
    }

    private static @Nullable Verdict verdict(ConfigNode.Entry entry, String path, Reading reading) {
        var key = KEY.matcher(entry.key());
        if (!key.matches() || entry.key().chars().anyMatch(Character::isISOControl)) {
            reading.problems()
                    .error(
                            entry.place(),
                            path,
                            "a verdict begins with the code of an error, 1 to " + HIGHEST_CODE
                                    + ", and may go on with a blank and up to " + LONGEST_TEXT
                                    + " characters of its text; write it as 252 or \"252 Too many parts\"");
            return null;
        }
        var entryPath = Walk.join(path, entry.key());
        var word = WORD.read(entry.value(), entryPath, false, reading);
        return word == null ? null : new Verdict(Integer.parseInt(key.group(1)), key.group(2), word);
    }

    @Override
    public String expected() {
        return "verdicts by an error's code, or its code and a part of its text, each " + WORD.expected()
                + ", such as { 9999: replica, \"252 Too many parts\": wait }";
    }
}
