package dev.millrace.pipeline;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import dev.millrace.config.Redaction;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A drain report as one JSON document on one line, names in snake case, a space after each colon.
final class ReportJson {
    private static final JsonFactory JSON = new JsonFactory();

    /// What it means that nothing is read again.
    private static final String MEANS =
            "Nothing is read again: a row that was answered 202 and is not written is lost, and only who posted it has it.";

    private final JsonGenerator out;

    private ReportJson(JsonGenerator out) {
        this.out = out;
    }

    static String of(DrainReport report, Redaction redaction) {
        var text = new StringWriter();
        try (var generator = new CleanJson(JSON.createGenerator(text), redaction)) {
            generator.setPrettyPrinter(new OneLine());
            new ReportJson(generator).write(report);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    private void write(DrainReport report) throws IOException {
        out.writeStartObject();
        out.writeNumberField("schema", DrainReport.SCHEMA);
        out.writeStringField("pipeline", report.pipeline());
        out.writeStringField("version", report.version());
        out.writeStringField("started_at", report.startedAt().toString());
        out.writeStringField("ended_at", report.endedAt().toString());
        out.writeStringField("reason", report.reason());
        out.writeNumberField("exit_code", report.exitCode());
        out.writeBooleanField("cut_short", report.cutShort());
        seconds("drain_seconds", report.drainSeconds());
        seconds("drain_budget_seconds", report.drainBudgetSeconds());
        bool("drained", report.drained());
        bool("caught_up", report.caughtUp());
        rows(report.rows());
        out.writeNumberField("batches_delivered", report.batchesDelivered());
        out.writeNumberField("possible_duplicates", report.possibleDuplicates());
        out.writeNumberField("offsets_skipped", report.offsetsSkipped());
        var posted = report.posted();
        if (posted != null) {
            out.writeStringField("source", "http");
            out.writeStringField("replay", "none");
            out.writeStringField("means", MEANS);
            PostedJson.write(out, posted);
        }
        out.writeArrayFieldStart("partitions");
        for (var partition : report.partitions()) partition(partition);
        out.writeEndArray();
        out.writeArrayFieldStart("sinks");
        for (var sink : report.sinks()) sink(sink);
        out.writeEndArray();
        out.writeArrayFieldStart("advisory");
        for (var sink : report.advisory()) advisory(sink);
        out.writeEndArray();
        out.writeEndObject();
    }

    private void advisory(DrainReport.AdvisoryEnd sink) throws IOException {
        out.writeStartObject();
        out.writeStringField("name", sink.name());
        out.writeBooleanField("reached", sink.reached());
        out.writeNumberField("rows_seen", sink.rowsSeen());
        for (var outcome : sink.outcomes().entrySet())
            out.writeNumberField("rows_" + outcome.getKey().word(), outcome.getValue());
        out.writeNumberField("rows_left", sink.rowsLeft());
        out.writeEndObject();
    }

    private void rows(DrainReport.Rows rows) throws IOException {
        out.writeObjectFieldStart("rows");
        out.writeNumberField("polled", rows.polled());
        out.writeNumberField("delivered", rows.delivered());
        out.writeNumberField("duplicate", rows.duplicate());
        out.writeNumberField("skipped", rows.skipped());
        out.writeNumberField("dead_lettered", rows.deadLettered());
        number("abandoned", rows.abandoned());
        number("in_doubt", rows.inDoubt());
        out.writeEndObject();
    }

    private void partition(DrainReport.Partition partition) throws IOException {
        out.writeStartObject();
        out.writeStringField("topic", partition.topic());
        out.writeNumberField("partition", partition.partition());
        number("committed", partition.committed());
        number("end", partition.end());
        number("undelivered", partition.undelivered());
        out.writeNumberField("taken", partition.taken());
        text("blocked_by", partition.blockedBy());
        out.writeEndObject();
    }

    private void sink(DrainReport.SinkEnd sink) throws IOException {
        out.writeStartObject();
        out.writeStringField("name", sink.name());
        text("level", sink.level());
        rows(sink.rows());
        out.writeArrayFieldStart("shards");
        for (var shard : sink.shards()) shard(shard);
        out.writeEndArray();
        out.writeEndObject();
    }

    private void shard(DrainReport.ShardEnd shard) throws IOException {
        out.writeStartObject();
        out.writeStringField("shard", shard.shard());
        out.writeStringField("state", shard.state().name().toLowerCase(Locale.ROOT));
        out.writeBooleanField("lower_bound", shard.lowerBound());
        out.writeNumberField("rows_delivered", shard.rowsDelivered());
        out.writeNumberField("batches_delivered", shard.batchesDelivered());
        out.writeNumberField("possible_duplicates", shard.possibleDuplicates());
        out.writeNumberField("rows_left", shard.rowsLeft());
        out.writeArrayFieldStart("replicas");
        for (var replica : shard.replicas()) {
            out.writeStartObject();
            out.writeStringField("endpoint", replica.endpoint());
            out.writeStringField("breaker", replica.breaker());
            out.writeNumberField("written", replica.written());
            out.writeNumberField("failed", replica.failed());
            text("last_failure", replica.lastFailure());
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeEndObject();
    }

    private void seconds(String name, double value) throws IOException {
        out.writeNumberField(name, Math.round(value * 1000) / 1000.0);
    }

    private void number(String name, @Nullable Long value) throws IOException {
        out.writeFieldName(name);
        if (value == null) out.writeNull();
        else out.writeNumber(value);
    }

    private void bool(String name, @Nullable Boolean value) throws IOException {
        out.writeFieldName(name);
        if (value == null) out.writeNull();
        else out.writeBoolean(value);
    }

    private void text(String name, @Nullable String value) throws IOException {
        out.writeFieldName(name);
        if (value == null) out.writeNull();
        else out.writeString(value);
    }

    private static final class OneLine extends MinimalPrettyPrinter {
        private static final long serialVersionUID = 1;

        @Override
        public void writeObjectFieldValueSeparator(JsonGenerator generator) throws IOException {
            generator.writeRaw(": ");
        }
    }
}
