package dev.millrace.cli;

import dev.millrace.config.PipelineConfig;
import dev.millrace.pipeline.ExitCode;
import dev.millrace.pipeline.Sizing;
import dev.millrace.pipeline.SizingFigure;
import dev.millrace.pipeline.SizingLoad;
import dev.millrace.pipeline.SizingText;
import dev.millrace.sinkpool.Finding;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `millrace size`: what a pipeline's settings need, and what a load makes of them.
@Command(
        name = "size",
        description = {
            "Tell what memory, processors, connections, retention and tokens a pipeline needs under a load, each figure",
            "with its formula or source, and which settings do not fit. Connects nowhere. See docs/guides/sizing.md."
        },
        footer = {
            "",
            "Exit codes: 0 the settings fit the load; 1 they do not, and the last lines say what to change; 2 a wrong file or",
            "option."
        })
final class SizeCommand implements Callable<Integer> {
    private static final int DOES_NOT_FIT = 1;
    private static final Pattern LENGTH = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,9})(B|KiB|MiB)?");

    @Parameters(
            arity = "0..1",
            paramLabel = "FILE",
            description = "the pipeline's YAML file (default: a file of defaults with one sink)")
    private @Nullable Path file;

    @Option(names = "--rows-per-second", paramLabel = "NUMBER", description = "what comes in, over all partitions")
    private @Nullable Double rowsPerSecond;

    @Option(names = "--bytes-per-row", paramLabel = "SIZE", description = "of a value, such as 600 or 2KiB")
    private @Nullable String bytesPerRow;

    @Option(names = "--partitions", paramLabel = "NUMBER", description = "of all topics together (default: 12)")
    private @Nullable Integer partitions;

    @Option(
            names = "--outage",
            paramLabel = "TIME",
            description = "of all stores, to be ridden out, such as 30m, 4h or 2d (default: 1h)")
    private @Nullable String outage;

    @Option(
            names = "--members",
            paramLabel = "NUMBER",
            description = "of the group, over all processes (default: one process)")
    private @Nullable Integer members;

    @Option(
            names = "--headroom",
            paramLabel = "NUMBER",
            description = "how many times the load is taken while it catches up (default: 2)")
    private @Nullable Double headroom;

    @Option(
            names = "--sink",
            paramLabel = "KIND",
            description = "without FILE: clickhouse, postgres, http or blackhole")
    private @Nullable String sink;

    @Option(names = "--shards", paramLabel = "NUMBER", description = "without FILE: how many shards the sink has")
    private @Nullable Integer shards;

    @Option(names = "--json", description = "print JSON, an object a line")
    private boolean json;

    @Spec
    private @Nullable CommandSpec spec;

    private final List<String> assumed = new ArrayList<>();

    @Override
    public Integer call() {
        if (spec == null) throw new IllegalStateException("not called by the command line");
        if (file != null && (sink != null || shards != null))
            throw new ParameterException(spec.commandLine(), "--sink and --shards stand in the place of FILE");
        var config = file == null ? example(spec) : PipelineFile.readOfKafka(file);
        if (config == null) return ExitCode.BAD_CONFIGURATION.code();
        var load = load(config, spec);
        var sizing = Sizing.of(config, load);
        var out = spec.commandLine().getOut();
        if (json) json(sizing, out);
        else text(sizing, load, config, out);
        out.flush();
        return sizing.fits() ? ExitCode.DRAINED.code() : DOES_NOT_FIT;
    }

    private PipelineConfig example(CommandSpec command) {
        try {
            return SizeExample.of(sink == null ? "clickhouse" : sink, shards == null ? 1 : shards);
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(command.commandLine(), String.valueOf(wrong.getMessage()), wrong);
        }
    }

    private SizingLoad load(PipelineConfig config, CommandSpec command) {
        if ((rowsPerSecond == null) != (bytesPerRow == null))
            throw new ParameterException(
                    command.commandLine(), "--rows-per-second and --bytes-per-row say one thing together: give both");
        try {
            return new SizingLoad(
                    rowsPerSecond == null || bytesPerRow == null
                            ? null
                            : new SizingLoad.Flow(rowsPerSecond, size(bytesPerRow)),
                    partitions == null ? assumed("--partitions", 12) : partitions,
                    members == null ? assumed("--members", config.kafka().consumers()) : members,
                    length(outage == null ? assumed("--outage", "1h") : outage),
                    headroom == null ? assumed("--headroom", 2).doubleValue() : headroom);
        } catch (IllegalArgumentException wrong) {
            throw new ParameterException(command.commandLine(), String.valueOf(wrong.getMessage()), wrong);
        }
    }

    private <T> T assumed(String option, T value) {
        assumed.add(option + " " + value);
        return value;
    }

    private static long size(String text) {
        var match = SIZE.matcher(text);
        if (!match.matches())
            throw new IllegalArgumentException("--bytes-per-row " + text + " is no size; write 600, 2KiB or 1MiB");
        var number = Long.parseLong(match.group(1));
        return switch (match.group(2)) {
            case "KiB" -> number << 10;
            case "MiB" -> number << 20;
            case null, default -> number;
        };
    }

    private static Duration length(String text) {
        var match = LENGTH.matcher(text);
        if (!match.matches())
            throw new IllegalArgumentException(
                    "--outage " + text + " is no time; write a number with ms, s, m, h or d");
        var number = Long.parseLong(match.group(1));
        return switch (match.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }

    private void text(Sizing sizing, SizingLoad load, PipelineConfig config, PrintWriter out) {
        out.println(head(load, config));
        if (!assumed.isEmpty()) out.println("assumed: " + String.join(", ", assumed));
        if (load.flow() == null)
            out.println("not told: batches, processors, an outage; give --rows-per-second and --bytes-per-row");
        var places = new LinkedHashMap<String, List<SizingFigure>>();
        for (var figure : sizing.figures())
            places.computeIfAbsent(figure.of(), _ -> new ArrayList<>()).add(figure);
        places.forEach((place, figures) -> {
            out.println("\n" + place(place));
            for (var figure : figures)
                out.println("  %-20s %-16s %s".formatted(figure.name(), SizingText.of(figure), figure.from()));
        });
        if (!sizing.findings().isEmpty()) out.println();
        for (var finding : sizing.findings()) {
            out.println("%-7s  %s: %s".formatted(word(finding), finding.where(), finding.what()));
            if (!finding.remedy().isEmpty()) out.println("         do: " + finding.remedy());
        }
        out.println("\n" + (sizing.fits() ? "the settings fit the load" : "the settings do not fit the load"));
    }

    private static String place(String of) {
        return switch (of) {
            case SizingFigure.PROCESS -> "each process";
            case SizingFigure.GROUP -> "the group, all processes together";
            case SizingFigure.OUTAGE -> "an outage of all stores";
            default -> of;
        };
    }

    private static String head(SizingLoad load, PipelineConfig config) {
        var flow = load.flow();
        var processes = Math.ceilDiv(load.members(), config.kafka().consumers());
        return (flow == null
                        ? ""
                        : SizingText.decimal(flow.rowsPerSecond()) + " rows/s of "
                                + SizingText.bytes((double) flow.bytesPerRow()) + ", "
                                + SizingText.bytes(flow.bytesPerSecond())
                                + "/s; ")
                + load.partitions() + " partitions; " + load.members() + (load.members() == 1 ? " member" : " members")
                + " in " + processes + (processes == 1 ? " process" : " processes") + "; an outage of "
                + SizingText.seconds(load.outageSeconds()) + "; catching up at " + SizingText.decimal(load.headroom())
                + " times the load";
    }

    private static void json(Sizing sizing, PrintWriter out) {
        for (var figure : sizing.figures())
            out.println(new JsonLine()
                    .add("of", figure.of())
                    .add("name", figure.name())
                    .add("value", figure.value())
                    .add("unit", figure.unit().name().toLowerCase(Locale.ROOT))
                    .add("from", figure.from()));
        for (var finding : sizing.findings())
            out.println(new JsonLine()
                    .add("severity", word(finding))
                    .add("where", finding.where())
                    .add("what", finding.what())
                    .add("remedy", finding.remedy()));
    }

    private static String word(Finding finding) {
        return finding.severity().name().toLowerCase(Locale.ROOT);
    }
}
