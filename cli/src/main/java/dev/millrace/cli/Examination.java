package dev.millrace.cli;

import dev.millrace.config.LoggingConfig;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.Redaction;
import dev.millrace.pipeline.Diagnosis;
import dev.millrace.pipeline.Doctor;
import dev.millrace.pipeline.ExitCode;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.Finding.Severity;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/// How `millrace doctor` and `millrace validate --connect` look at what a file names, and tell it.
final class Examination {
    private static final int HAZARDS_ONLY = 1;
    private static final Pattern LENGTH = Pattern.compile("([0-9]{1,6})(ms|s|m)");

    /// The same finding about several places is told once.
    private record Told(Severity severity, String what, String remedy) {}

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "10s",
            description = "how long all answers are waited for, such as 500ms, 10s or 1m (default: ${DEFAULT-VALUE})")
    private String timeout = "10s";

    @Option(names = "--strict", description = "end with 1 where there are hazards, and nothing worse")
    private boolean strict;

    @Option(names = "--json", description = "print JSON, an object a line")
    private boolean json;

    /// Returns the exit code.
    int run(PipelineConfig config, CommandSpec spec) throws InterruptedException {
        var limit = limit(timeout, spec);
        Logs.configure(config, LoggingConfig.Level.ERROR);
        var diagnosis = new Doctor(config, InstantSource.system()).look(limit);
        var out = spec.commandLine().getOut();
        if (json) json(diagnosis, Redaction.of(config), out);
        else text(diagnosis, Redaction.of(config), out);
        out.flush();
        var err = spec.commandLine().getErr();
        (json ? err : out).println(counts(diagnosis));
        out.flush();
        err.flush();
        var code = diagnosis.exitCode();
        return code == ExitCode.DRAINED && strict && diagnosis.count(Severity.HAZARD) > 0 ? HAZARDS_ONLY : code.code();
    }

    /// Throws where one of these options is given to a command that does not look.
    static void refuseWithout(CommandSpec spec, String needed) {
        for (var option : List.of("--timeout", "--strict", "--json"))
            if (spec.commandLine().getParseResult().hasMatchedOption(option))
                throw new ParameterException(spec.commandLine(), option + " says how to look: add " + needed);
    }

    /// What an option --timeout says. Throws for what is no time.
    static Duration limit(String timeout, CommandSpec spec) {
        var match = LENGTH.matcher(timeout);
        if (!match.matches() || Long.parseLong(match.group(1)) == 0)
            throw new ParameterException(
                    spec.commandLine(), "--timeout " + timeout + " is no time; write a number with ms, s or m");
        var number = Long.parseLong(match.group(1));
        return switch (match.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            default -> Duration.ofMinutes(number);
        };
    }

    private static void text(Diagnosis diagnosis, Redaction redaction, PrintWriter out) {
        folded(diagnosis.findings()).forEach((told, places) -> {
            out.println("%-9s  %s: %s"
                    .formatted(
                            word(told.severity()),
                            Printable.text(String.join(", ", places)),
                            Printable.text(redaction.of(told.what()))));
            if (!told.remedy().isEmpty()) out.println("           do: " + Printable.text(redaction.of(told.remedy())));
        });
        diagnosis
                .guarantees()
                .forEach((sink, guarantee) -> out.println("%-9s  %s: %s, %s"
                        .formatted(
                                "level",
                                "sinks." + Printable.text(sink),
                                guarantee.level(),
                                Printable.text(redaction.of(guarantee.why())))));
    }

    private static Map<Told, List<String>> folded(List<Finding> findings) {
        var folded = new LinkedHashMap<Told, List<String>>();
        for (var finding : findings)
            folded.computeIfAbsent(
                            new Told(finding.severity(), finding.what(), finding.remedy()), _ -> new ArrayList<>())
                    .add(finding.where());
        return folded;
    }

    private static void json(Diagnosis diagnosis, Redaction redaction, PrintWriter out) {
        for (var finding : diagnosis.findings())
            out.println(new JsonLine()
                    .add("severity", word(finding.severity()))
                    .add("where", finding.where())
                    .add("what", redaction.of(finding.what()))
                    .add("remedy", redaction.of(finding.remedy())));
        diagnosis
                .guarantees()
                .forEach((sink, guarantee) -> out.println(new JsonLine()
                        .add("sink", sink)
                        .add("level", guarantee.level().name())
                        .add("why", redaction.of(guarantee.why()))));
    }

    private static String word(Severity severity) {
        return severity.name().toLowerCase(Locale.ROOT);
    }

    private static String counts(Diagnosis diagnosis) {
        return number(diagnosis.count(Severity.FAULT), "fault") + ", " + diagnosis.count(Severity.UNREACHED)
                + " unreached, " + number(diagnosis.count(Severity.HAZARD), "hazard") + ", "
                + number(diagnosis.count(Severity.NOTE), "note");
    }

    private static String number(long count, String of) {
        return count + " " + of + (count == 1 ? "" : "s");
    }
}
