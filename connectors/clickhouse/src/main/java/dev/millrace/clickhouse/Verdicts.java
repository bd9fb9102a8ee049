package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Codes.Rule;
import dev.millrace.clickhouse.Codes.Says;
import dev.millrace.clickhouse.Codes.Stored;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What an error says: by the pipeline's file, or else by the table of codes.
///
/// Of the file's verdicts one with a text comes before one without, and a longer text before a shorter one.
///
/// Thread ownership: immutable.
final class Verdicts {
    private static final Comparator<VerdictOverride> NARROWEST_FIRST =
            Comparator.comparingInt((VerdictOverride one) -> -length(one.text()));

    static final Verdicts BUILT_IN = new Verdicts(List.of());

    private final List<VerdictOverride> overrides;

    Verdicts(List<VerdictOverride> overrides) {
        this.overrides = overrides.stream().sorted(NARROWEST_FIRST).toList();
    }

    private static int length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    /// `text` is what the server said.
    Rule of(int code, String text) {
        var built = Codes.of(code, text);
        var mine = override(code, text);
        return mine == null ? built : built.blaming(mine.blames().says);
    }

    /// Null where the table of codes decides.
    @Nullable
    VerdictOverride override(int code, String text) {
        var built = Codes.of(code, text);
        if (built.equals(Codes.THREW_IN_VIEW) || built.equals(Codes.OTHER_COLUMNS)) return null;
        for (var one : overrides)
            if (one.code() == code && (one.text() == null || text.contains(one.text()))) return one;
        return null;
    }

    /// What a person should know of these, a line each.
    List<String> hazards() {
        var told = new ArrayList<String>();
        for (var one : overrides) {
            var text = one.text();
            var rule = of(one.code(), text == null ? "" : text);
            var splits = rule.says() == Says.ROWS || rule.says() == Says.SIZE;
            if (splits && rule.stored() == Stored.PERHAPS)
                told.add("clickhouse.verdicts: " + one + ": this error may come after rows were stored, so its batch is"
                        + " held whole and not taken apart");
        }
        return told;
    }
}
