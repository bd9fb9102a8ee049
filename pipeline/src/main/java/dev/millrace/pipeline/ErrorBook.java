package dev.millrace.pipeline;

import dev.millrace.clickhouse.ErrorExplanation;
import dev.millrace.config.ClickHouseConfig;
import dev.millrace.config.PipelineConfig;
import dev.millrace.http.AnswerExplanation;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Looks an error of a store up in the tables that judge its answers, for a person.
public final class ErrorBook {
    /// An answer to the http sink, as it stands in a log or as a person says it.
    private static final Pattern STATUS = Pattern.compile("^\\s*(?i:http)[- ]?(\\d{3})\\b");

    private ErrorBook() {}

    /// What is known, a line each. `known`: the error is in a table. No line at all: that is no
    /// error of any store.
    public record Entry(List<String> lines, boolean known) {
        public Entry {
            lines = List.copyOf(lines);
        }
    }

    /// `asked` is a code, a name or a text that a server gave. With a `config`, what its file says
    /// of it is added.
    public static Entry look(String asked, @Nullable PipelineConfig config) {
        var lines = new ArrayList<String>();
        var known = false;
        var status = STATUS.matcher(asked);
        if (status.find()) {
            for (var one : AnswerExplanation.of(Integer.parseInt(status.group(1)))) {
                known |= one.known();
                http(one, lines);
            }
            return new Entry(lines, known);
        }
        var postgres = dev.millrace.postgres.ErrorExplanation.of(asked);
        for (var one : postgres) {
            known |= one.known();
            postgres(one, lines);
        }
        // A SQLSTATE of digits alone is no code of ClickHouse's: those are shorter.
        if (postgres.isEmpty() || !known)
            for (var one : ErrorExplanation.of(asked)) {
                known |= one.known();
                clickhouse(one, config, lines);
            }
        return new Entry(lines, known);
    }

    private static void http(AnswerExplanation one, List<String> lines) {
        lines.add("HTTP " + one.status());
        body(
                lines,
                one.means(),
                one.blames(),
                one.stored(),
                one.does(),
                one.remedy(),
                "RFC 9110 and docs/http.md, of the http sink");
    }

    private static void postgres(dev.millrace.postgres.ErrorExplanation one, List<String> lines) {
        lines.add("PostgreSQL " + one.code() + (one.name().isEmpty() ? "" : " " + one.name()));
        body(lines, one.means(), one.blames(), one.stored(), one.does(), one.remedy(), one.source());
    }

    private static void clickhouse(ErrorExplanation one, @Nullable PipelineConfig config, List<String> lines) {
        var text = one.text();
        lines.add("ClickHouse " + one.code() + (one.name().isEmpty() ? "" : " " + one.name())
                + (text == null ? "" : ", where its text says \"" + text + "\""));
        body(lines, one.means(), one.blames(), one.stored(), one.does(), one.remedy(), one.source());
        if (config == null) return;
        for (var sink : config.sinks())
            if (sink.kind() instanceof ClickHouseConfig clickhouse)
                for (var verdict : Wiring.verdicts(clickhouse))
                    if (verdict.code() == one.code())
                        lines.add(line(
                                "file",
                                "sinks." + sink.name() + ".clickhouse.verdicts has " + verdict + ", which "
                                        + ErrorExplanation.does(verdict)));
    }

    private static void body(
            List<String> lines, String means, String blames, String stored, String does, String remedy, String source) {
        lines.add(line("means", means));
        lines.add(line("blames", blames));
        lines.add(line("stored", stored));
        lines.add(line("millrace", does));
        lines.add(line("remedy", remedy));
        lines.add(line("source", source));
    }

    private static String line(String what, String text) {
        return "  " + what + " ".repeat(10 - what.length()) + text;
    }
}
