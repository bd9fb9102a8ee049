package dev.millrace.cli;

import dev.millrace.kafka.DeadLetterWhere;
import dev.millrace.kafka.DeadRow;
import dev.millrace.kafka.DeadRows;
import dev.millrace.kafka.RecordPlace;
import dev.millrace.kafka.StartRefused;
import dev.millrace.pipeline.ExitCode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `millrace dlq list`: a line for each row that was set aside and not replayed since.
@Command(
        name = "list",
        description = {
            "Print a line for each row that was set aside: its time, where it was, who did not take it and why.",
            "Repeats of one row are one line; rows that were replayed are left out."
        })
final class DlqListCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "the pipeline's YAML file")
    private @Nullable Path file;

    @Option(names = "--where", paramLabel = "KEY=VALUE", description = DlqFile.WHERE)
    private List<String> where = new ArrayList<>();

    @Option(names = "--all", description = "also rows that were replayed")
    private boolean all;

    @Option(names = "--json", description = "print JSON, an object a line")
    private boolean json;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        if (spec == null) throw new IllegalStateException("not called by the command line");
        var err = spec.commandLine().getErr();
        try {
            var meant = DeadLetterWhere.parse(where);
            var letters = DlqFile.open(file, () -> false);
            if (letters == null) return ExitCode.BAD_CONFIGURATION.code();
            print(letters.desk().read(), meant, spec.commandLine().getOut(), err);
            return ExitCode.DRAINED.code();
        } catch (IllegalArgumentException | StartRefused refused) {
            err.println(refused.getMessage());
            err.flush();
            return ExitCode.BAD_CONFIGURATION.code();
        }
    }

    private void print(DeadRows read, DeadLetterWhere meant, PrintWriter out, PrintWriter err) {
        var rows = read.where(meant);
        var listed = all ? rows : rows.stream().filter(row -> !row.replayed()).toList();
        for (var row : listed) out.println(json ? json(row) : text(row));
        var foreign = meant.conditions().isEmpty() ? read.foreign() : List.<RecordPlace>of();
        for (var at : foreign) out.println(json ? json(at) : at + "  not written by Millrace");
        out.flush();
        var replayed = rows.size() - listed.size();
        var repeats = listed.stream().mapToLong(DeadRow::repeats).sum();
        err.println(listed.size() + " rows" + (repeats == 0 ? "" : ", " + repeats + " repeats folded")
                + (replayed == 0 ? "" : ", " + replayed + " more were replayed (--all lists them)")
                + (read.foreignCount() == 0 ? "" : ", " + read.foreignCount() + " records not written by Millrace"));
        err.flush();
    }

    static String text(DeadRow row) {
        return (row.timestamp() < 0 ? "no time" : Instant.ofEpochMilli(row.timestamp()))
                + "  " + Printable.text(row.origin().toString())
                + "  " + Printable.text(row.shard() == null ? row.sink() : row.sink() + "/" + row.shard())
                + "  " + Printable.text(row.code())
                + "  attempts " + row.attempts() + ", repeats " + row.repeats()
                + (row.replays() == 0 ? "" : ", replays " + row.replays())
                + (row.replayed() ? ", replayed since" : "")
                + (row.gone() ? ", original gone" : "")
                + "  " + Printable.text(row.reason());
    }

    static JsonLine json(DeadRow row) {
        return new JsonLine()
                .add(
                        "at",
                        row.timestamp() < 0
                                ? null
                                : Instant.ofEpochMilli(row.timestamp()).toString())
                .add("topic", row.origin().topic())
                .add("partition", row.origin().partition())
                .add("offset", row.origin().offset())
                .add("pipeline", row.pipeline())
                .add("sink", row.sink())
                .add("shard", row.shard())
                .add("code", row.code())
                .add("reason", row.reason())
                .add("attempts", row.attempts())
                .add("repeats", row.repeats())
                .add("replays", row.replays())
                .add("replayed", row.replayed())
                .add("original_gone", row.gone())
                .add("dead_letter", row.at().toString());
    }

    private static JsonLine json(RecordPlace foreign) {
        return new JsonLine().add("foreign", true).add("dead_letter", foreign.toString());
    }
}
