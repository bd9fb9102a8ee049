package dev.millrace.http;

import java.util.ArrayList;
import java.util.List;

/// What a status of HTTP means where it answers a batch, for a person.
public record AnswerExplanation(
        int status, String means, String blames, String stored, String does, String remedy, boolean known) {

    /// A line for each case that there is of it; none for what is no status.
    public static List<AnswerExplanation> of(int status) {
        var found = new ArrayList<AnswerExplanation>();
        if (status < 100 || status > 599) return found;
        for (var rule : Answers.TABLE) if (rule.status() == status) found.add(of(status, rule, true));
        if (found.isEmpty()) {
            var rule = Answers.of(status, false);
            found.add(of(status, rule, rule.status() != 0));
        }
        return found;
    }

    /// Each line of the table, and last, with the status 0, what is done with a status that is in none.
    public static List<AnswerExplanation> all() {
        var all = new ArrayList<AnswerExplanation>();
        for (var rule : Answers.TABLE) all.add(of(rule.status(), rule, true));
        all.add(of(0, Answers.of(0, false), false));
        return all;
    }

    private static AnswerExplanation of(int status, Rule rule, boolean known) {
        return new AnswerExplanation(
                status,
                rule.named() ? rule.words() + ", where it names a time in Retry-After" : rule.words(),
                rule.says().blames,
                stored(rule),
                rule.says().does,
                rule.remedy(),
                known);
    }

    private static String stored(Rule rule) {
        if (rule.says() == Rule.Says.WRITTEN) return "all rows of the batch are stored";
        return rule.stored() ? "rows of the batch may be stored" : "nothing of the batch is stored";
    }
}
