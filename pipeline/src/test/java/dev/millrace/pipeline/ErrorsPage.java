package dev.millrace.pipeline;

import dev.millrace.clickhouse.ErrorExplanation;
import dev.millrace.http.AnswerExplanation;
import dev.millrace.pipeline.OwnWords.Told;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Makes docs/errors.md from the tables that judge errors, from what the code says, and from what other tests hold.
final class ErrorsPage {
    private static final Path WRONG = Path.of("../config/src/test/resources/wrong");
    private static final Path STARTS = Path.of("../cli/src/test/resources/dev/millrace/cli/proof/start-failures.txt");
    private static final Path REASONS = Path.of("../connectors/json/src/main/java/dev/millrace/json/Reasons.java");
    private static final Path FAULTS = Path.of("../connectors/json/src/main/java/dev/millrace/json/JsonCheck.java");
    private static final Pattern CONSTANT = Pattern.compile("String \\w+ = \"(\\w+)\"");
    private static final Pattern PROBLEM = Pattern.compile("pipeline\\.yaml:\\d+:\\d+(?: (.+?))?: (.+)");
    private static final Pattern WORD = Pattern.compile("[a-z][a-z_-]*[a-z]-?(?:[0-9]+)?");
    private static final Pattern NAMES_A_REMEDY =
            Pattern.compile("[;:,] (?:set|allow|correct|say|create|ask|choose|lower|name|another process may)\\b");
    private static final int ENOUGH_LETTERS = 12;
    private static final String UNKNOWN = "…";

    private static final String HEAD = """
            # Errors

            What Millrace may tell you that is wrong, with its remedy. Look for the words that you have: `…` stands for a name,
            a number or somebody else's text. This page is made from the tables that judge errors and from the code that says
            these lines, and a test holds it to them: a new one that is not here fails it. Log lines have
            [a page of their own](events.md), and so has [what the live page says](running.md#what-the-page-shows).

            `millrace explain-error CODE` tells the same of one error of a store, and of a whole line of a log.

            - [Exit codes](#exit-codes)
            - [The file is wrong](#the-file-is-wrong)
            - [It does not start](#it-does-not-start)
            - [It ends while it runs](#it-ends-while-it-runs)
            - [What doctor finds](#what-doctor-finds), and [size](#what-size-finds)
            - [A write fails](#a-write-fails): [Millrace's own words](#millraces-own-words), [PostgreSQL](#postgresql),
              [ClickHouse](#clickhouse), [HTTP](#http)
            - [A row is poison](#a-row-is-poison)
            """;

    private final StringBuilder page = new StringBuilder(HEAD);
    private final SpokenTexts texts;

    private ErrorsPage() throws IOException {
        texts = SpokenTexts.of(SpokenTexts.modules());
    }

    static String text() throws IOException {
        var made = new ErrorsPage();
        made.exitCodes();
        made.file();
        made.starts();
        made.ends();
        made.findings();
        made.writes();
        made.poison();
        return made.page.toString();
    }

    private void section(String title, String words) {
        page.append("\n## ").append(title).append("\n\n").append(words.isEmpty() ? "" : words + "\n\n");
    }

    private void table(String... columns) {
        page.append("| ").append(String.join(" | ", columns)).append(" |\n|").append("---|".repeat(columns.length));
        page.append('\n');
    }

    private void row(String... cells) {
        page.append("| ");
        page.append(Arrays.stream(cells).map(ErrorsPage::cell).collect(Collectors.joining(" | ")));
        page.append(" |\n");
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("\n", " ");
    }

    // --- how a process ends

    private void exitCodes() {
        section(
                "Exit codes",
                "The worst that applies. The last line of standard error says why, the report what is left.");
        table("exit code", "means", "do");
        var told = OwnWords.exitCodes();
        for (var code : ExitCode.values()) {
            var words = told.get(code);
            if (words == null) throw new AssertionError("OwnWords says nothing of " + code);
            var parts = words.split(" \\| ", 2);
            row("`" + code.code() + "`", parts[0], parts[1]);
        }
        row(
                "`1`",
                "a command that asks something got a no: `demo`, `doctor --strict`, `dlq`, `explain-error`, `simulate`,"
                        + " `size`, `stuck`, `verify`",
                "its output says what");
        row(
                "`128 + n`",
                "a second signal *n* ended it at once".replace("*", ""),
                "start again: what was not committed replays");
    }

    // --- the file

    private void file() throws IOException {
        section("The file is wrong", """
                Exit code 2. `millrace validate FILE` tells all of it at once, a line each: `FILE:line:column key: what is wrong; what to
                do`. These are the lines that the tests' wrong files give, by file.""");
        try (var files = Files.list(WRONG)) {
            for (var file : files.filter(one -> one.toString().endsWith(".expected"))
                    .sorted()
                    .toList()) problems(file);
        }
    }

    private void problems(Path file) throws IOException {
        var name = file.getFileName().toString().replace(".expected", "").replaceFirst("^\\d+-", "");
        page.append("### ")
                .append(name.substring(0, 1).toUpperCase(Locale.ROOT))
                .append(name.substring(1).replace('-', ' '));
        page.append("\n\n");
        table("key", "what is wrong, and what to do");
        for (var line : Files.readAllLines(file)) {
            var match = PROBLEM.matcher(line);
            if (!match.matches()) throw new AssertionError(file + ": " + line);
            row(match.group(1) == null ? "" : "`" + match.group(1) + "`", match.group(2));
        }
        page.append('\n');
    }

    // --- start and end

    private void starts() throws IOException {
        section("It does not start", "One line on standard error. These are seen by a test, each with its exit code:");
        table("when", "exit code", "it says", "do");
        var told = OwnWords.starts();
        var when = "";
        for (var line : Files.readAllLines(STARTS)) {
            if (!line.startsWith(" ")) when = line;
            else {
                var name = when.substring(0, when.lastIndexOf(": exit"));
                row(name, when.replaceAll(".* exit ", ""), line.strip(), must(told.get(name), "starts", name));
            }
        }
        page.append("\nAnd these the code has besides, of the start and of commands:\n\n");
        table("exit code", "it says", "do");
        texts.calls("StartRefused", "StartFailure")
                .flatMap(call -> call.argument(1).stream().map(said -> Map.entry(call, said)))
                .filter(said -> says(said.getValue(), ENOUGH_LETTERS)
                        && !said.getValue().startsWith("stopped"))
                .map(said -> List.of(exitCode(said.getKey().argument(0).getFirst()), said.getValue()))
                .distinct()
                .sorted(Comparator.comparing(cells -> cells.get(1)))
                .forEach(cells -> row(cells.getFirst(), cells.getLast(), remedy(cells.getLast())));
    }

    private static <T> T must(@Nullable T told, String where, String name) {
        if (told == null) throw new AssertionError("OwnWords." + where + " says nothing of: " + name);
        return told;
    }

    private static String remedy(String line) {
        return NAMES_A_REMEDY.matcher(line).find()
                ? OwnWords.AS_IT_SAYS
                : must(OwnWords.refusals().get(line), "refusals", line);
    }

    private static String exitCode(String text) {
        return text.equals(UNKNOWN) ? "2 or 5" : text;
    }

    /// It has words of its own.
    private static boolean says(String text, int letters) {
        return text.replaceAll("[^a-z]", "").length() >= letters;
    }

    private static boolean says(String text) {
        return says(text, 4);
    }

    private void ends() {
        section("It ends while it runs", """
                Exit code 5, after a drain of what can still be written; `event=source_failed` or the report's `reason` has the line.""");
        table("it says", "means", "do");
        texts.calls("stop", "fault", "Stop")
                .flatMap(call -> call.arguments().stream()
                        .flatMap(List::stream)
                        .filter(text -> text.contains(" ") && says(text)))
                .distinct()
                .sorted()
                .forEach(line -> {
                    var told = must(OwnWords.ends().get(line), "ends", line);
                    row(line, told.means(), told.remedy());
                });
    }

    // --- doctor

    private void findings() {
        section(
                "What doctor finds",
                "By [severity](doctor.md); where it is found stands before it. In the order of the sources.");
        findings(call -> !call.file().endsWith("Need.java"));
        section("What size finds", "[The guide](guides/sizing.md) says what the figures are.");
        findings(call -> call.file().endsWith("Need.java"));
    }

    private void findings(java.util.function.Predicate<SpokenTexts.Call> ofThese) {
        table("severity", "what", "do");
        for (var severity : List.of("fault", "unreached", "hazard", "note"))
            texts.calls("Finding." + severity)
                    .filter(ofThese)
                    .flatMap(call -> call.argument(1).stream()
                            .filter(ErrorsPage::says)
                            .map(what -> List.of(what, either(call.argument(2)))))
                    .distinct()
                    .forEach(cells -> row("`" + severity + "`", cells.getFirst(), cells.getLast()));
    }

    private static String either(List<String> texts) {
        return String.join(", or: ", texts);
    }

    // --- writes

    private void writes() throws IOException {
        section("A write fails", """
                What is done is the same in every sink: *send again* leaves the batch as it is; *take apart* finds the rows that are refused, and
                sets them aside as [poison](#a-row-is-poison) if other rows are taken; *hold* keeps the batch, says so
                (`event=batch_blocked`, `/stuck`), and tries it at `retry.max` until somebody has mended the cause. Nothing is lost meanwhile,
                and no offset moves over it. The process stops for a write only under `poison.action: stop`, and `on_expired_token: halt`.""");
        page.append("### Millrace's own words\n\n");
        table("code", "means", "do");
        var told = OwnWords.failures();
        for (var code : failureCodes())
            if (!told.containsKey(code)) throw new AssertionError("OwnWords.failures says nothing of " + code);
        told.forEach((code, words) ->
                row("`" + code + (code.endsWith("-") ? UNKNOWN : "") + "`", words.means(), words.remedy()));
        row(
                "`unverified-…`, `send-again-…`",
                "ClickHouse: whether earlier attempts stored the batch could not be read; the cause stands behind",
                "see that cause; the batch waits, and is asked about again");
        row(
                "`in-check`, `still-running`, `rows-vanish`, `unreadable`",
                "ClickHouse: why it could not be read",
                "the message says it");
        postgres();
        clickhouse();
        http();
    }

    /// Those that the code gives as words.
    private Set<String> failureCodes() {
        return texts.calls(
                        "Failure",
                        "failed",
                        "unavailable",
                        "HttpExchange.unavailable",
                        "over",
                        "changed",
                        "doubtful",
                        "failureOf")
                .filter(call -> !call.arguments().isEmpty())
                .flatMap(call -> call.argument(0).stream())
                .map(code -> code.replace(UNKNOWN, ""))
                .filter(code -> WORD.matcher(code).matches())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private void postgres() {
        page.append("""

                ### PostgreSQL

                By SQLSTATE; a class says what its codes say that have no line of their own. Of an error that came before COMMIT was
                on its way nothing is stored.

                """);
        table("SQLSTATE", "means", "blames", "what is done", "do");
        for (var one : dev.millrace.postgres.ErrorExplanation.all())
            row(code(one.code(), one.name()), one.means(), one.blames(), one.does(), one.remedy());
    }

    private void clickhouse() {
        page.append(
                "\n### ClickHouse\n\nBy the exception's code; `clickhouse.verdicts` may say otherwise whom one blames.\n\n");
        table("code", "means", "blames", "stored", "what is done", "do");
        for (var one : ErrorExplanation.all())
            row(
                    code(one.known() ? Integer.toString(one.code()) : "", one.name())
                            + (one.text() == null ? "" : " with \"" + one.text() + "\""),
                    one.means(),
                    one.blames(),
                    one.stored(),
                    one.does(),
                    one.remedy());
    }

    private void http() {
        page.append("\n### HTTP\n\nOf the http sink, by status.\n\n");
        table("status", "means", "blames", "stored", "what is done", "do");
        for (var one : AnswerExplanation.all())
            row(
                    code(one.known() ? Integer.toString(one.status()) : "", ""),
                    one.means(),
                    one.blames(),
                    one.stored(),
                    one.does(),
                    one.remedy());
    }

    private static String code(String code, String name) {
        return (code.isEmpty() ? "any other" : "`" + code + "`") + (name.isEmpty() ? "" : " " + name);
    }

    // --- poison

    private void poison() throws IOException {
        section("A row is poison", """
                Under `poison.action: dead_letter` it goes to the dead-letter topic ([dead letters](dead-letters.md)) with one of these as its code, under
                `skip` it is counted under it, under `stop` the process ends with exit code 5 and a line that names the row. What a store refuses has the
                store's code instead.""");
        table("reason", "means", "do");
        var told = OwnWords.poison();
        for (var reason : poisonReasons())
            if (!told.containsKey(reason)) throw new AssertionError("OwnWords.poison says nothing of " + reason);
        told.forEach((reason, words) -> row("`" + reason + "`", words.means(), words.remedy()));
    }

    private Set<String> poisonReasons() throws IOException {
        var reasons = new LinkedHashSet<String>();
        CONSTANT.matcher(Files.readString(REASONS))
                .results()
                .map(match -> match.group(1))
                .forEach(reasons::add);
        reasons.addAll(jsonFaults());
        texts.calls("Poison")
                .filter(call -> !call.arguments().isEmpty())
                .flatMap(call -> call.argument(0).stream())
                .filter(reason -> !reason.contains(UNKNOWN))
                .forEach(reasons::add);
        return reasons;
    }

    private static List<String> jsonFaults() throws IOException {
        var source = Files.readString(FAULTS);
        var from = source.indexOf("enum Fault {") + "enum Fault {".length();
        return Stream.of(source.substring(from, source.indexOf(';', from)).split(",", -1))
                .map(name -> name.strip().toLowerCase(Locale.ROOT))
                .toList();
    }

    /// What is explained though nothing says it, of these words.
    static Set<String> unsaid(Map<String, Told> words) throws IOException {
        var sources = new StringBuilder();
        for (var module : SpokenTexts.modules())
            try (var walk = Files.walk(Path.of("..").resolve(module).resolve("src/main/java"))) {
                for (var file :
                        walk.filter(one -> one.toString().endsWith(".java")).toList())
                    sources.append(Files.readString(file));
            }
        var all = sources.toString();
        var faults = jsonFaults();
        return words.keySet().stream()
                .filter(word -> !all.contains("\"" + word + (word.endsWith("-") ? "" : "\"")) && !faults.contains(word))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
