package dev.millrace.pipeline;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.millrace.kafka.PartitionView;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardStatus;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The state of a running pipeline as one JSON document: what it has polled, what it holds, and
/// how each replica stands.
///
/// Ages are seconds; what is unknown is null.
final class StatusJson {
    private static final JsonFactory JSON = new JsonFactory();
    private static final double NANOS_PER_SECOND = 1e9;

    private final JsonGenerator out;
    private final long nowNanos;

    private StatusJson(JsonGenerator out, long nowNanos) {
        this.out = out;
        this.nowNanos = nowNanos;
    }

    static String of(
            String pipeline,
            String state,
            List<PartitionView> partitions,
            List<ShardStatus> shards,
            AdmissionBudget budget,
            Map<String, Map<String, Long>> unknownFields,
            List<AdvisoryView> advisory,
            Map<String, Guarantee> guarantees,
            RunningFile file,
            long nowNanos) {
        var text = new StringWriter();
        try (var generator = JSON.createGenerator(text)) {
            var json = new StatusJson(generator, nowNanos);
            generator.writeStartObject();
            generator.writeStringField("pipeline", pipeline);
            generator.writeStringField("state", state);
            json.file(file);
            generator.writeFieldName("in_flight");
            json.budget(budget);
            generator.writeArrayFieldStart("sinks");
            for (var sink : guarantees.entrySet()) json.guarantee(sink.getKey(), sink.getValue());
            generator.writeEndArray();
            generator.writeArrayFieldStart("partitions");
            for (var partition : partitions) json.partition(partition);
            generator.writeEndArray();
            generator.writeArrayFieldStart("shards");
            for (var shard : shards) json.shard(shard);
            generator.writeEndArray();
            generator.writeObjectFieldStart("unknown_fields");
            for (var sink : unknownFields.entrySet()) json.counts(sink.getKey(), sink.getValue());
            generator.writeEndObject();
            generator.writeArrayFieldStart("advisory");
            for (var sink : advisory) json.advisory(sink);
            generator.writeEndArray();
            generator.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    private void file(RunningFile file) throws IOException {
        out.writeObjectFieldStart("configuration");
        text("file", file.file());
        out.writeStringField("digest", file.digest());
        out.writeStringField("running_since", file.since().toString());
        out.writeNumberField("reloads", file.reloads().done());
        out.writeFieldName("refused");
        var refused = file.refused();
        if (refused == null) {
            out.writeNull();
        } else {
            out.writeStartObject();
            out.writeStringField("digest", refused.digest());
            out.writeStringField("at", refused.at().toString());
            out.writeArrayFieldStart("reasons");
            for (var reason : refused.reasons()) out.writeString(reason);
            out.writeEndArray();
            out.writeEndObject();
        }
        out.writeEndObject();
    }

    private void counts(String name, Map<String, Long> counts) throws IOException {
        out.writeObjectFieldStart(name);
        for (var count : counts.entrySet()) out.writeNumberField(count.getKey(), count.getValue());
        out.writeEndObject();
    }

    private void budget(AdmissionBudget budget) throws IOException {
        out.writeStartObject();
        out.writeNumberField("rows", budget.rows());
        out.writeNumberField("bytes", budget.bytes());
        out.writeNumberField("max_rows", budget.maxRows());
        out.writeNumberField("max_bytes", budget.maxBytes());
        out.writeEndObject();
    }

    private void partition(PartitionView partition) throws IOException {
        out.writeStartObject();
        out.writeStringField("topic", partition.partition().topic());
        out.writeNumberField("partition", partition.partition().partition());
        out.writeBooleanField("owned", partition.member() >= 0);
        out.writeNumberField("polled", partition.polled());
        out.writeNumberField("dropped", partition.dropped());
        out.writeNumberField("waiting", partition.waiting());
        number("watermark", partition.watermark());
        number("position", partition.position());
        number("committed", partition.committed());
        number("lag", partition.lag());
        out.writeNumberField("pending_ranges", partition.pending());
        out.writeNumberField("head_seconds", partition.headNanos() / NANOS_PER_SECOND);
        text("blocked_by", partition.blockedBy());
        var hangs = partition.transaction();
        out.writeFieldName("hanging_transaction");
        if (hangs == null) out.writeNull();
        else HangingJson.write(out, hangs);
        out.writeArrayFieldStart("sinks");
        for (var sink : partition.sinks()) {
            var tally = sink.tally();
            out.writeStartObject();
            out.writeStringField("sink", sink.sink());
            out.writeNumberField("encoded", tally.encoded());
            out.writeNumberField("written", tally.written());
            out.writeNumberField("abandoned", tally.abandoned());
            out.writeNumberField("in_doubt", tally.inDoubt());
            out.writeNumberField("in_flight", tally.inFlight());
            out.writeNumberField("skipped", sink.skippedRows() + tally.skipped());
            out.writeNumberField("dead_lettered", sink.deadLettered() + tally.deadLettered());
            out.writeNumberField("dead_letters_out", sink.lettersOut());
            counts("poison", sink.poison());
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeEndObject();
    }

    private void guarantee(String sink, Guarantee guarantee) throws IOException {
        out.writeStartObject();
        out.writeStringField("name", sink);
        out.writeStringField("level", guarantee.level().name());
        out.writeStringField("why", guarantee.why());
        out.writeEndObject();
    }

    private void advisory(AdvisoryView sink) throws IOException {
        out.writeStartObject();
        out.writeStringField("sink", sink.sink());
        out.writeBooleanField("reached", sink.reached());
        out.writeNumberField("rows_seen", sink.seen());
        out.writeObjectFieldStart("rows");
        for (var outcome : AdvisoryOutcome.values()) out.writeNumberField(outcome.word(), sink.rows(outcome));
        out.writeEndObject();
        out.writeNumberField("rows_in_flight", sink.inFlight());
        out.writeFieldName("budget");
        budget(sink.budget());
        out.writeArrayFieldStart("shards");
        for (var shard : sink.shards()) shard(shard);
        out.writeEndArray();
        out.writeEndObject();
    }

    private void shard(ShardStatus shard) throws IOException {
        var view = shard.view();
        out.writeStartObject();
        out.writeStringField("shard", shard.shard().toString());
        out.writeStringField("worker", word(shard.worker()));
        out.writeBooleanField("usable", view.usable());
        out.writeBooleanField("blocked", view.blocked());
        out.writeNumberField("open_rows", view.openRows());
        out.writeNumberField("inflight_limit", view.limit());
        out.writeNumberField("linger_seconds", view.lingerNanos() / NANOS_PER_SECOND);
        out.writeNumberField("rows_written", shard.counts().rowsWritten());
        out.writeNumberField("rows_duplicate", shard.counts().rowsDuplicate());
        out.writeNumberField("possible_duplicates", shard.counts().possibleDuplicates());
        out.writeNumberField("batches_written", shard.counts().batchesWritten());
        age("last_answer_seconds", view.lastAnswerNanos());
        out.writeNumberField("backoff_seconds", view.sleepNanos() / NANOS_PER_SECOND);
        out.writeNumberField("attempts_unfinished", view.unfinished());
        out.writeArrayFieldStart("batches");
        for (var held : view.held()) {
            out.writeStartObject();
            out.writeNumberField("batch", held.batch());
            out.writeNumberField("rows", held.rows());
            out.writeNumberField("attempts", held.attempts());
            out.writeBooleanField("writing", held.writing());
            out.writeBooleanField("blocked", held.blocked());
            PinJson.write(out, shard, held, nowNanos);
            age("age_seconds", held.sealedNanos());
            var failure = held.failure();
            text("last_failure", failure == null ? null : failure.toString());
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeArrayFieldStart("replicas");
        for (var replica : view.replicas()) {
            var state = replica.state();
            var failure = replica.lastFailure();
            out.writeStartObject();
            out.writeStringField(
                    "endpoint", shard.endpoints().get(state.replica()).toString());
            out.writeStringField("breaker", word(state.phase()));
            var ends = state.phaseEndsNanos();
            number("open_for_ms", ends == NanoClock.NEVER ? null : (Long) Math.max(0, (ends - nowNanos) / 1_000_000));
            out.writeNumberField("one_turn_in", state.oneTurnIn());
            out.writeNumberField("rows_written", shard.counts().rowsWrittenTo(state.replica()));
            out.writeNumberField("failures", shard.counts().failuresOf(state.replica()));
            text("last_failure", failure == null ? null : failure.toString());
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeEndObject();
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private void age(String name, long sinceNanos) throws IOException {
        out.writeFieldName(name);
        if (sinceNanos == NanoClock.NEVER) out.writeNull();
        else out.writeNumber(Math.max(0, nowNanos - sinceNanos) / NANOS_PER_SECOND);
    }

    private void number(String name, @Nullable Long value) throws IOException {
        out.writeFieldName(name);
        if (value == null) out.writeNull();
        else out.writeNumber(value);
    }

    private void text(String name, @Nullable String value) throws IOException {
        out.writeFieldName(name);
        if (value == null) out.writeNull();
        else out.writeString(value);
    }
}
