package dev.millrace.pipeline;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.millrace.config.Redaction;
import dev.millrace.kafka.PartitionView;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardStatus;
import dev.millrace.sinkpool.SlotUse;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The state of a running pipeline as one JSON document: what is wrong and what to do, what it has polled, what it
/// holds, how each replica stands, and what happened last.
///
/// Ages are seconds; what is unknown is null. Texts of servers are as their sinks' edge bounded and redacted them.
final class StatusJson {
    private static final JsonFactory JSON = new JsonFactory();
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final JsonGenerator out;
    private final Pulse pulse;
    private final Snapshot now;
    private final long nowNanos;

    private StatusJson(JsonGenerator out, Pulse pulse, Snapshot now) {
        this.out = out;
        this.pulse = pulse;
        this.now = now;
        this.nowNanos = now.nowNanos();
    }

    static String of(
            Snapshot now,
            Pulse pulse,
            List<Trouble> troubles,
            Map<String, Long> setAside,
            List<EventRing.Entry> events,
            Redaction redaction) {
        var text = new StringWriter();
        try (var generator = new CleanJson(JSON.createGenerator(text), redaction)) {
            var json = new StatusJson(generator, pulse, now);
            generator.writeStartObject();
            json.course();
            json.file(now.who().file());
            json.troubles(troubles);
            generator.writeFieldName("in_flight");
            json.budget(now.inFlight());
            json.rates();
            var posted = now.posted();
            if (posted != null) PostedJson.write(generator, posted);
            generator.writeArrayFieldStart("sinks");
            for (var sink : now.guarantees().entrySet()) json.guarantee(sink.getKey(), sink.getValue());
            generator.writeEndArray();
            generator.writeArrayFieldStart("partitions");
            for (var partition : now.partitions()) json.partition(partition);
            generator.writeEndArray();
            generator.writeArrayFieldStart("shards");
            for (var shard : now.shards()) json.shard(shard);
            generator.writeEndArray();
            generator.writeNumberField("dead_lettered", now.deadLettered());
            json.counts("poison", setAside);
            generator.writeObjectFieldStart("unknown_fields");
            for (var sink : now.unknownFields().entrySet()) json.counts(sink.getKey(), sink.getValue());
            generator.writeEndObject();
            generator.writeArrayFieldStart("advisory");
            for (var sink : now.advisory()) json.advisory(sink);
            generator.writeEndArray();
            generator.writeArrayFieldStart("events");
            for (var event : events) json.event(event);
            generator.writeEndArray();
            generator.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    private void course() throws IOException {
        out.writeStringField("pipeline", now.who().pipeline());
        out.writeStringField("version", now.who().version());
        out.writeStringField("started_at", now.who().startedAt().toString());
        out.writeStringField("state", now.state());
        text("waits_for", now.course().waitsFor());
        var paused = now.course().pausedSinceNanos();
        age("paused_seconds", paused == null ? NanoClock.NEVER : paused);
        var ends = now.course().endsNanos();
        until("drain_ends_in_ms", ends == null ? NanoClock.NEVER : ends);
    }

    private void troubles(List<Trouble> troubles) throws IOException {
        out.writeStringField("headline", Troubles.headline(now, troubles));
        out.writeArrayFieldStart("troubles");
        for (var trouble : troubles) {
            out.writeStartObject();
            out.writeStringField("level", word(trouble.level()));
            out.writeStringField("where", trouble.where());
            out.writeStringField("what", trouble.what());
            out.writeStringField("remedy", trouble.remedy());
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private void rates() throws IOException {
        out.writeObjectFieldStart("rates");
        rate("in_per_second", pulse.inPerSecond());
        rate("durable_per_second", pulse.durablePerSecond());
        series("in", pulse.in());
        series("durable", pulse.durable());
        out.writeEndObject();
    }

    private void series(String name, List<Double> values) throws IOException {
        out.writeArrayFieldStart(name);
        for (var value : values) out.writeNumber(Math.round(value));
        out.writeEndArray();
    }

    private void event(EventRing.Entry event) throws IOException {
        out.writeStartObject();
        out.writeStringField("at", event.at().toString());
        out.writeStringField("first_at", event.firstAt().toString());
        out.writeNumberField("count", event.count());
        out.writeStringField("event", event.event());
        out.writeStringField("where", event.where());
        out.writeStringField("text", event.text());
        out.writeEndObject();
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

    private void budget(Snapshot.InFlight budget) throws IOException {
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
        text("blocked_by", now.blockedBy(partition));
        text("waits_for", now.waitsFor(partition));
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
        var budget = sink.budget();
        budget(new Snapshot.InFlight(budget.rows(), budget.bytes(), budget.maxRows(), budget.maxBytes()));
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
        text("waits_for", SlotWait.of(shard));
        slots(shard.slots());
        out.writeNumberField("linger_seconds", view.lingerNanos() / NANOS_PER_SECOND);
        out.writeNumberField("rows_written", shard.counts().rowsWritten());
        out.writeNumberField("rows_duplicate", shard.counts().rowsDuplicate());
        out.writeNumberField("possible_duplicates", shard.counts().possibleDuplicates());
        out.writeNumberField("batches_written", shard.counts().batchesWritten());
        age("last_answer_seconds", view.lastAnswerNanos());
        out.writeNumberField("backoff_seconds", view.sleepNanos() / NANOS_PER_SECOND);
        until("backoff_ends_in_ms", view.sleepEndsNanos());
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
            until("open_for_ms", state.phaseEndsNanos());
            out.writeNumberField("phase_seconds", Math.max(0, nowNanos - state.phaseBeganNanos()) / NANOS_PER_SECOND);
            out.writeNumberField("one_turn_in", state.oneTurnIn());
            out.writeNumberField("rows_written", shard.counts().rowsWrittenTo(state.replica()));
            rate("rows_per_second", pulse.ofReplica(shard.shard(), state.replica()));
            out.writeNumberField("failures", shard.counts().failuresOf(state.replica()));
            text("last_failure", failure == null ? null : failure.toString());
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeEndObject();
    }

    /// Of the whole sink; null where it takes as many writes as its shards have.
    private void slots(@Nullable SlotUse slots) throws IOException {
        out.writeFieldName("write_slots");
        if (slots == null) {
            out.writeNull();
            return;
        }
        out.writeStartObject();
        out.writeNumberField("taken", slots.taken());
        out.writeNumberField("total", slots.total());
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

    private void until(String name, long atNanos) throws IOException {
        number(name, atNanos == NanoClock.NEVER ? null : (Long) Math.max(0, (atNanos - nowNanos) / NANOS_PER_MILLI));
    }

    private void rate(String name, @Nullable Double perSecond) throws IOException {
        number(name, perSecond == null ? null : (Long) Math.round(perSecond));
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
