package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Codes.Rule;
import dev.millrace.clickhouse.Codes.Says;
import dev.millrace.clickhouse.Codes.Stored;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What a person should know of one error of a ClickHouse server's, from the table that judges answers.
///
/// `code` is the number. `name` is the server's, empty where it is not in the table. `text` is what the
/// server's text has to hold for this line, null for whatever it says. The others are a sentence each.
/// `known`: it is in the table.
public record ErrorExplanation(
        int code,
        String name,
        @Nullable String text,
        String means,
        String blames,
        String stored,
        String does,
        String remedy,
        String source,
        boolean known) {
    private static final Pattern NUMBER = Pattern.compile("[1-9]\\d{0,5}");
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_]+");
    private static final Pattern SERVERS_TEXT = Pattern.compile("\\bCode: ([1-9]\\d{0,5})\\b");
    private static final Pattern NAME_IN_TEXT = Pattern.compile("\\(([A-Z][A-Z0-9_]+)\\)");

    /// What is meant by a number, a name, or a text of the server's or of ours. Empty for what is none of
    /// them; for a number that is in no line of the table, what is done with such.
    public static List<ErrorExplanation> of(String asked) {
        var whole = asked.strip();
        if (NUMBER.matcher(whole).matches()) return byCode(Integer.parseInt(whole));
        if (NAME.matcher(whole).matches()) return byName(whole.toUpperCase(Locale.ROOT), "");
        var code = SERVERS_TEXT.matcher(whole);
        if (code.find()) {
            var number = Integer.parseInt(code.group(1));
            return List.of(of(number, Codes.of(number, whole)));
        }
        var found = new LinkedHashSet<ErrorExplanation>();
        var name = NAME_IN_TEXT.matcher(whole);
        while (name.find()) found.addAll(byName(name.group(1), whole));
        return List.copyOf(found);
    }

    /// Each line of the table, and last what is done with a code that is in none.
    public static List<ErrorExplanation> all() {
        var all = new ArrayList<ErrorExplanation>();
        for (var rule : Codes.TABLE) all.add(of(rule.code(), rule));
        all.add(of(0, Codes.UNKNOWN));
        return all;
    }

    /// What becomes of a batch under a verdict of the file's.
    public static String does(VerdictOverride override) {
        var text = override.text();
        return does(new Verdicts(List.of(override)).of(override.code(), text == null ? "" : text));
    }

    private static List<ErrorExplanation> byCode(int code) {
        var found = new ArrayList<ErrorExplanation>();
        for (var rule : Codes.TABLE) if (rule.code() == code) found.add(of(code, rule));
        return found.isEmpty() ? List.of(of(code, Codes.UNKNOWN)) : found;
    }

    /// Lines of which the text says that they are not meant are left out.
    private static List<ErrorExplanation> byName(String name, String text) {
        var found = new ArrayList<ErrorExplanation>();
        for (var rule : Codes.TABLE)
            if (rule.name().equals(name)
                    && (text.isEmpty() || Codes.of(rule.code(), text).equals(rule))) found.add(of(rule.code(), rule));
        return found;
    }

    private static ErrorExplanation of(int code, Rule rule) {
        return new ErrorExplanation(
                code,
                rule.name(),
                rule.text(),
                rule.words(),
                blames(rule.says()),
                switch (rule.stored()) {
                    case NONE -> "nothing of the batch is stored";
                    case PERHAPS -> "rows of the batch may be stored";
                },
                does(rule),
                Remedy.of(code, rule),
                rule.source(),
                !rule.equals(Codes.UNKNOWN));
    }

    private static String blames(Says says) {
        return switch (says) {
            case REPLICA -> "this replica; another may do it";
            case OVERLOAD -> "the shard, which has not enough of something";
            case NOBODY -> "nobody";
            case ROWS -> "the rows";
            case SIZE -> "the size of the batch";
            case SETTINGS -> "table, right or setting";
            case LOGIN -> "the login";
        };
    }

    private static String does(Rule rule) {
        var splits = rule.stored() == Stored.NONE;
        return switch (rule.says()) {
            case REPLICA ->
                "sends the same batch again, elsewhere if it can, and counts against this replica's breaker";
            case OVERLOAD -> "slows the shard down, and sends the same batch again";
            case NOBODY -> "sends the same batch again after a pause, and blames no replica";
            case ROWS ->
                splits
                        ? "takes the batch apart; a row that stays refused while others are taken is a dead letter"
                        : "holds the batch whole and says so, since a part may be stored: it is not taken apart";
            case SIZE ->
                splits
                        ? "halves the batch until it fits; a single row that does not is a dead letter, as too_large"
                        : "holds the batch whole and says so, since a part may be stored: it is not halved";
            case SETTINGS, LOGIN -> "holds the batch and says so, tries it again at retry.max, and blames no replica";
        };
    }
}
