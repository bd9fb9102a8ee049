package dev.millrace.cli;

import dev.millrace.config.LoggingConfig;
import dev.millrace.kafka.LogStretch;
import dev.millrace.kafka.OffsetBound;
import dev.millrace.kafka.StretchesAsked;
import dev.millrace.pipeline.ExitCode;
import dev.millrace.pipeline.StartFailure;
import dev.millrace.pipeline.VerifiedPartition;
import dev.millrace.pipeline.Verifier;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `millrace verify`: reads coordinates back from the sinks and says what is missing, doubled or
/// extra.
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        description = {
            "Read the topics and the sinks again, and print which records have no row, which have several, and which rows",
            "have no record. Changes nothing, and the pipeline may run meanwhile. The sinks' rows have to store the",
            "topic, partition and offset of their records (clickhouse.coordinates).",
            "FROM and TO are an offset, `beginning`, `committed`, `end`, or a time with its zone, such as",
            "2026-01-31T10:00:00Z: the first record of that time or later. TO itself is not looked at."
        },
        footer = {
            "",
            "Exit codes: 0 nothing is missing, doubled or extra; 1 something is; 2 a wrong file or option, or rows that do",
            "not tell where they came from; 5 not everything could be read."
        })
final class VerifyCommand implements Callable<Integer> {
    private static final int DIFFERS = 1;
    private static final Pattern LENGTH = Pattern.compile("([0-9]{1,5})(s|m)");

    @Parameters(paramLabel = "FILE", description = "the pipeline's YAML file")
    private @Nullable Path file;

    @Option(
            names = "--from",
            paramLabel = "FROM",
            defaultValue = "beginning",
            description = "the first offset of each partition (default: ${DEFAULT-VALUE})")
    private String from = "beginning";

    @Option(
            names = "--to",
            paramLabel = "TO",
            defaultValue = "committed",
            description = "the offset behind the last (default: ${DEFAULT-VALUE}, which is done)")
    private String to = "committed";

    @Option(names = "--topic", paramLabel = "TOPIC", description = "only this topic; may be repeated")
    private List<String> topics = new ArrayList<>();

    @Option(names = "--partition", paramLabel = "N", description = "only this partition; may be repeated")
    private List<Integer> partitions = new ArrayList<>();

    @Option(
            names = "--sink",
            paramLabel = "NAME",
            description = "only this sink; may be repeated (default: all that are not advisory)")
    private List<String> sinks = new ArrayList<>();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "5m",
            description = "how long one answer of a sink is waited for, such as 30s or 5m (default: ${DEFAULT-VALUE})")
    private String timeout = "5m";

    @Option(names = "--json", description = "print JSON, an object a line")
    private boolean json;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        if (spec == null) throw new IllegalStateException("not called by the command line");
        var err = spec.commandLine().getErr();
        try {
            var asked = new StretchesAsked(
                    Set.copyOf(topics), Set.copyOf(partitions), OffsetBound.parse(from), OffsetBound.parse(to));
            var patience = patience();
            var config = file == null ? null : PipelineFile.readOfKafka(file);
            if (config == null) return ExitCode.BAD_CONFIGURATION.code();
            Logs.configure(config, LoggingConfig.Level.ERROR);
            var out = spec.commandLine().getOut();
            var told = json ? new Json(out, err) : new Text(out, err);
            var clean = new Verifier(config, patience).verify(asked, Set.copyOf(sinks), told);
            told.end();
            return clean ? ExitCode.DRAINED.code() : DIFFERS;
        } catch (IllegalArgumentException refused) {
            return refused(err, refused.getMessage(), ExitCode.BAD_CONFIGURATION);
        } catch (StartFailure failure) {
            return refused(err, failure.getMessage(), failure.exitCode());
        }
    }

    private static int refused(PrintWriter err, @Nullable String line, ExitCode code) {
        err.println(Printable.text(String.valueOf(line)));
        err.flush();
        return code.code();
    }

    private Duration patience() {
        var match = LENGTH.matcher(timeout);
        var number = match.matches() ? Long.parseLong(match.group(1)) : 0;
        if (number < 1)
            throw new IllegalArgumentException("--timeout " + timeout + " is no time; write a number with s or m");
        return match.group(2).equals("s") ? Duration.ofSeconds(number) : Duration.ofMinutes(number);
    }

    /// What is told, and the sums of it.
    private abstract static class Told implements Verifier.Listener {
        final PrintWriter out;
        final PrintWriter err;
        private final Screen screen = new Screen(System.err, false);
        long records;
        long missing;
        long doubled;
        long extra;
        long unknown;

        Told(PrintWriter out, PrintWriter err) {
            this.out = out;
            this.err = err;
        }

        @Override
        public void caution(String what) {
            err.println("note: " + Printable.text(what));
            err.flush();
        }

        @Override
        public void progress(String sink, LogStretch stretch, long offset) {
            // What is done at once needs no word.
            if (offset == stretch.to()) return;
            screen.progress(sink + " " + stretch + " at " + offset, System.nanoTime());
        }

        @Override
        public final void partition(VerifiedPartition found) {
            records += found.records();
            unknown += found.unknown();
            for (var shard : found.shards()) {
                missing += shard.missing();
                doubled += shard.doubled();
                extra += shard.extra();
            }
            print(found);
            out.flush();
        }

        abstract void print(VerifiedPartition found);

        /// The sums.
        abstract void end();
    }

    private static final class Text extends Told {
        Text(PrintWriter out, PrintWriter err) {
            super(out, err);
        }

        @Override
        void print(VerifiedPartition found) {
            out.println(found.sink() + "  " + Printable.text(found.stretch().toString()) + "  records "
                    + found.records()
                    + (found.unknown() == 0 ? "" : ", unknown " + found.unknown() + " (no more in the log)")
                    + (found.compactedRows() == 0
                            ? ""
                            : ", " + found.compactedRows()
                                    + " rows without a record, which compaction may have taken"));
            for (var shard : found.shards()) {
                out.println("  " + shard.shard() + "  expected " + shard.expected() + ", found " + shard.found()
                        + ", missing " + shard.missing() + ", doubled " + shard.doubled() + ", extra "
                        + shard.extra()
                        + (shard.deadLettered() == 0 ? "" : ", dead-lettered " + shard.deadLettered())
                        + (shard.skipped() == 0 ? "" : ", skipped by policy " + shard.skipped()));
                examples("missing", shard.missingAt());
                examples("doubled", shard.doubledAt());
                examples("extra", shard.extraAt());
            }
            if (found.notCommitted() > 0)
                out.println("  " + found.notCommitted() + " of the missing are not below what the group has committed, "
                        + (found.stretch().committed() < 0
                                ? "which is nothing"
                                : Long.toString(found.stretch().committed()))
                        + ": nobody said that they are done");
        }

        private void examples(String what, List<String> at) {
            if (!at.isEmpty()) out.println("    " + what + "  " + String.join(", ", at));
        }

        @Override
        void end() {
            out.println("%,d records: missing %,d, doubled %,d, extra %,d".formatted(records, missing, doubled, extra)
                    + (unknown == 0 ? "" : ", unknown %,d".formatted(unknown)));
            out.flush();
        }
    }

    private static final class Json extends Told {
        Json(PrintWriter out, PrintWriter err) {
            super(out, err);
        }

        @Override
        void print(VerifiedPartition found) {
            var stretch = found.stretch();
            out.println(new JsonLine()
                    .add("kind", "partition")
                    .add("sink", found.sink())
                    .add("topic", stretch.topic())
                    .add("partition", stretch.partition())
                    .add("from", stretch.from())
                    .add("to", stretch.to())
                    .add("committed", stretch.committed() < 0 ? null : (Long) stretch.committed())
                    .add("records", found.records())
                    .add("unknown", found.unknown())
                    .add("compacted_rows", found.compactedRows())
                    .add("missing_not_committed", found.notCommitted()));
            for (var shard : found.shards())
                out.println(new JsonLine()
                        .add("kind", "shard")
                        .add("sink", found.sink())
                        .add("topic", stretch.topic())
                        .add("partition", stretch.partition())
                        .add("shard", shard.shard())
                        .add("expected", shard.expected())
                        .add("found", shard.found())
                        .add("missing", shard.missing())
                        .add("doubled", shard.doubled())
                        .add("extra", shard.extra())
                        .add("dead_lettered", shard.deadLettered())
                        .add("skipped", shard.skipped())
                        .add("missing_at", shard.missingAt())
                        .add("doubled_at", shard.doubledAt())
                        .add("extra_at", shard.extraAt()));
        }

        @Override
        void end() {
            out.println(new JsonLine()
                    .add("kind", "sum")
                    .add("records", records)
                    .add("missing", missing)
                    .add("doubled", doubled)
                    .add("extra", extra)
                    .add("unknown", unknown));
            out.flush();
        }
    }
}
