package dev.millrace.postgres;

import dev.millrace.postgres.SqlStates.Rule;
import dev.millrace.postgres.SqlStates.Says;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// What a person should know of one SQLSTATE, from the table that judges answers.
///
/// `code` is the SQLSTATE that was asked for, or the class. `name` is its condition, empty where neither
/// it nor its class is in the table. The others are a sentence each. `known`: it, or its class, is in the
/// table.
public record ErrorExplanation(
        String code,
        String name,
        String means,
        String blames,
        String stored,
        String does,
        String remedy,
        String source,
        boolean known) {
    private static final Pattern STATE = Pattern.compile("[0-9A-Z]{5}");
    private static final Pattern CONDITION = Pattern.compile("[A-Za-z][A-Za-z0-9_]+");
    private static final Pattern IN_TEXT = Pattern.compile(
            "(?:\\bSQL ?STATE:? |\\bERROR: +|^)([0-9A-Z]{5})(?![0-9A-Za-z_])", Pattern.CASE_INSENSITIVE);

    /// What is meant by a SQLSTATE, a condition's name, or a text that has one. Empty for what is none of
    /// them; for a SQLSTATE that is in no line of the table, what is done with such.
    public static List<ErrorExplanation> of(String asked) {
        var whole = asked.strip();
        var upper = whole.toUpperCase(Locale.ROOT);
        if (STATE.matcher(upper).matches() && isState(upper)) return List.of(of(upper, SqlStates.of(upper)));
        if (CONDITION.matcher(whole).matches())
            return SqlStates.TABLE.stream()
                    .filter(rule -> rule.condition().equalsIgnoreCase(whole))
                    .map(rule -> of(rule.prefix(), rule))
                    .toList();
        var found = IN_TEXT.matcher(whole);
        while (found.find()) {
            var state = found.group(1).toUpperCase(Locale.ROOT);
            if (isState(state)) return List.of(of(state, SqlStates.of(state)));
        }
        return List.of();
    }

    /// Each line of the table, and last what is done with a SQLSTATE that is in none.
    public static List<ErrorExplanation> all() {
        return Stream.concat(SqlStates.TABLE.stream(), Stream.of(SqlStates.UNKNOWN))
                .map(rule -> of(rule.prefix(), rule))
                .toList();
    }

    /// A word of five letters is none: a SQLSTATE that the standard or PostgreSQL made has a
    /// digit, but for XX.
    private static boolean isState(String text) {
        return text.startsWith("XX") || text.chars().anyMatch(Character::isDigit);
    }

    private static ErrorExplanation of(String code, Rule rule) {
        return new ErrorExplanation(
                code,
                rule.condition(),
                rule.words(),
                blames(rule.says()),
                "nothing, unless COMMIT was on its way when it came: then the transaction may have ended well",
                does(rule.says()),
                remedy(rule),
                rule.equals(SqlStates.UNKNOWN)
                        ? "no source: what is not known is taken for the replica's"
                        : "PostgreSQL's Appendix A, class " + rule.prefix().substring(0, 2),
                !rule.equals(SqlStates.UNKNOWN));
    }

    private static String blames(Says says) {
        return switch (says) {
            case REPLICA -> "this endpoint; another may do it";
            case OVERLOAD -> "the server, which has not enough of something";
            case NOBODY -> "nobody";
            case ROWS -> "the rows, if any were sent; else the settings";
            case SIZE -> "the size of the batch";
            case SETTINGS -> "table, column, right or password";
        };
    }

    private static String does(Says says) {
        return switch (says) {
            case REPLICA ->
                "sends the same batch again, elsewhere if it can, and counts against this endpoint's breaker";
            case OVERLOAD -> "slows the shard down, and sends the same batch again";
            case NOBODY -> "sends the same batch again after a pause, and blames no endpoint";
            case ROWS -> "takes the batch apart; a row that stays refused while others are taken is a dead letter";
            case SIZE -> "halves the batch until it fits; a single row that does not is a dead letter, as too_large";
            case SETTINGS -> "holds the batch and says so, tries it again at retry.max, and blames no endpoint";
        };
    }

    private static String remedy(Rule rule) {
        return switch (rule.prefix()) {
            case "23505" -> "set on_conflict: ignore if such a row is a repeat";
            case "25006" ->
                "write to the primary, or end its default_transaction_read_only; a standby takes over by itself when it is promoted";
            case "28P01", "28000", "28" -> "put the right password into the file that postgres.password names";
            case "42501" -> "GRANT INSERT on the table to the user";
            case "42P01" -> "create the table, or name another as postgres.table";
            case "53100" -> "free or add disk space at the server";
            case "57014" -> "see what makes the server slow; write.timeout is what an attempt is given";
            default -> remedy(rule.says());
        };
    }

    private static String remedy(Says says) {
        return switch (says) {
            case REPLICA -> "see the server's log";
            case OVERLOAD -> "give the server more of it, or send less: inflight.max_per_shard";
            case NOBODY -> "none, unless it goes on";
            case ROWS -> "see the dead letters (millrace dlq list), and mend who makes such rows";
            case SIZE -> "lower batch.max_rows or batch.max_bytes";
            case SETTINGS -> "mend what the message names; the batch goes on by itself then";
        };
    }
}
