package dev.millrace.cli;

import dev.millrace.checkpoint.CommitNote;
import dev.millrace.checkpoint.Plan;
import dev.millrace.checkpoint.Segment;
import dev.millrace.config.LoggingConfig;
import dev.millrace.kafka.CommittedOffset;
import dev.millrace.pipeline.ExitCode;
import dev.millrace.pipeline.Offsets;
import dev.millrace.pipeline.StartFailure;
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

/// `millrace offsets show`: for each partition what is done, what is left, and the plan of what is
/// open.
@Command(
        name = "show",
        description = {
            "Print, for each partition, the offset below which all is done, how much is left, and, under",
            "delivery: effectively_once, the segments that are planned and not done. Changes nothing."
        },
        footer = {"", "Exit codes: 0 shown; 2 a wrong file, topic or right; 5 no broker answered."})
final class OffsetsShowCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "the pipeline's YAML file")
    private @Nullable Path file;

    @Option(names = "--json", description = "print JSON, an object a line")
    private boolean json;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        if (spec == null) throw new IllegalStateException("not called by the command line");
        var config = file == null ? null : PipelineFile.readOfKafka(file);
        if (config == null) return ExitCode.BAD_CONFIGURATION.code();
        Logs.configure(config, LoggingConfig.Level.ERROR);
        try {
            var offsets = Offsets.of(config);
            var limit = config.checkpoint().metadataLimit();
            var now = Instant.now().getEpochSecond();
            var out = spec.commandLine().getOut();
            for (var one : offsets) {
                if (json) json(one, limit, now, out);
                else text(one, limit, now, out);
            }
            out.flush();
            return ExitCode.DRAINED.code();
        } catch (StartFailure failure) {
            var err = spec.commandLine().getErr();
            err.println(Printable.text(String.valueOf(failure.getMessage())));
            err.flush();
            return failure.exitCode().code();
        }
    }

    private static String place(CommittedOffset one) {
        return Printable.text(one.topic() + "-" + one.partition());
    }

    private static void text(CommittedOffset one, int limit, long nowSeconds, PrintWriter out) {
        if (!one.committed()) {
            out.println(place(one) + "  nothing committed, of [" + one.start() + ", " + one.end() + ")");
            return;
        }
        out.println(place(one) + "  offset " + one.offset() + "  lag " + one.lag() + "  "
                + Printable.text(note(one, limit))
                + (one.ofAnotherTopic() ? ", of a topic of this name that was deleted" : "")
                + (one.offset() < one.start() ? ", below the log's start " + one.start() : ""));
        if (one.note() instanceof CommitNote.Planned(var plan))
            for (var segment : plan.segments())
                out.println("  [" + segment.from() + ", " + segment.to() + ")  age " + age(segment, nowSeconds) + " s  "
                        + segment.bytes() + " bytes" + (segment.split() ? "  split" : ""));
    }

    private static String note(CommittedOffset one, int limit) {
        return switch (one.note()) {
            case CommitNote.Nothing() -> "no note";
            case CommitNote.Of(var id) -> "topic " + id.text();
            case CommitNote.Planned(var plan) ->
                "plan of " + plan.segments().size() + " open segments, " + one.characters() + " of " + limit
                        + " characters, fingerprint " + hex(plan.fingerprint());
            case CommitNote.Unreadable(var why) -> "a plan that can't be read: " + why;
            case CommitNote.Foreign() -> "a text of " + one.characters() + " characters that is not of Millrace";
        };
    }

    private static String hex(long number) {
        return "%016x".formatted(number);
    }

    /// A clock that went back makes nothing younger than now.
    private static long age(Segment segment, long nowSeconds) {
        return Math.max(0, nowSeconds - segment.cutSeconds());
    }

    private static void json(CommittedOffset one, int limit, long nowSeconds, PrintWriter out) {
        var line = new JsonLine()
                .add("kind", "partition")
                .add("topic", one.topic())
                .add("partition", one.partition())
                .add("offset", one.committed() ? (Long) one.offset() : null)
                .add("lag", one.lag())
                .add("log_start", one.start())
                .add("log_end", one.end())
                .add("note", word(one.note()))
                .add("characters", one.characters())
                .add("characters_limit", limit)
                .add("of_another_topic", one.ofAnotherTopic());
        if (one.note() instanceof CommitNote.Unreadable(var why)) line.add("why", why);
        if (!(one.note() instanceof CommitNote.Planned(var plan))) {
            out.println(line);
            return;
        }
        out.println(line.add("fingerprint", hex(plan.fingerprint()))
                .add("cluster", "%08x".formatted(plan.cluster()))
                .add("newest_tokens", newestTokens(plan))
                .add("open_segments", plan.segments().size()));
        for (var segment : plan.segments())
            out.println(new JsonLine()
                    .add("kind", "segment")
                    .add("topic", one.topic())
                    .add("partition", one.partition())
                    .add("from", segment.from())
                    .add("to", segment.to())
                    .add("age_seconds", age(segment, nowSeconds))
                    .add("bytes", segment.bytes())
                    .add("split", segment.split()));
    }

    /// By the hash of the shard's name, the beginning of a token.
    private static List<String> newestTokens(Plan plan) {
        var texts = new ArrayList<String>();
        plan.newestTokens().forEach((shard, token) -> texts.add("%08x:%s".formatted(shard, hex(token))));
        return texts;
    }

    private static String word(CommitNote note) {
        return switch (note) {
            case CommitNote.Nothing() -> "none";
            case CommitNote.Of _ -> "topic";
            case CommitNote.Planned _ -> "plan";
            case CommitNote.Unreadable _ -> "unreadable";
            case CommitNote.Foreign() -> "foreign";
        };
    }
}
