package dev.millrace.pipeline;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.config.Redaction;
import dev.millrace.kafka.PartitionView;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardStatus;
import dev.millrace.sinkpool.ShardView;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Why watermarks do not move: the partitions that stand, each with the batches that hold it and what
/// their replicas said, and the shards that take nothing. Both are empty when nothing is stuck.
///
/// A partition is stuck when its watermark has stood for `afterNanos` with work above it, when it waits
/// for a person, or when a transaction hangs there.
final class StuckJson {
    private static final JsonFactory JSON = new JsonFactory();
    private static final double NANOS_PER_SECOND = 1e9;

    private final JsonGenerator out;
    private final List<ShardStatus> shards;
    private final long afterNanos;
    private final long nowNanos;

    private StuckJson(JsonGenerator out, List<ShardStatus> shards, long afterNanos, long nowNanos) {
        this.out = out;
        this.shards = shards;
        this.afterNanos = afterNanos;
        this.nowNanos = nowNanos;
    }

    static String of(
            List<PartitionView> partitions,
            List<ShardStatus> shards,
            long afterNanos,
            long nowNanos,
            Redaction redaction) {
        var text = new StringWriter();
        try (var generator = new CleanJson(JSON.createGenerator(text), redaction)) {
            var json = new StuckJson(generator, shards, afterNanos, nowNanos);
            generator.writeStartObject();
            generator.writeArrayFieldStart("partitions");
            for (var partition : partitions) if (json.stuck(partition)) json.partition(partition);
            generator.writeEndArray();
            generator.writeArrayFieldStart("shards");
            for (var shard : shards) if (json.stuck(shard)) json.shard(shard);
            generator.writeEndArray();
            generator.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    private boolean stuck(PartitionView partition) {
        if (partition.member() < 0) return false;
        return partition.transaction() != null || (partition.pending() > 0 && partition.headNanos() >= afterNanos);
    }

    private boolean stuck(ShardStatus shard) {
        var view = shard.view();
        return shard.worker() == ShardStatus.Worker.DIED
                || !view.usable()
                || view.blocked()
                || view.held().stream().anyMatch(this::old);
    }

    private boolean old(ShardView.Held held) {
        return nowNanos - held.sealedNanos() >= afterNanos;
    }

    private void partition(PartitionView partition) throws IOException {
        out.writeStartObject();
        out.writeStringField("topic", partition.partition().topic());
        out.writeNumberField("partition", partition.partition().partition());
        number("watermark", partition.watermark());
        out.writeNumberField("pending_ranges", partition.pending());
        out.writeNumberField("head_seconds", partition.headNanos() / NANOS_PER_SECOND);
        text("blocked_by", partition.blockedBy());
        var hangs = partition.transaction();
        out.writeFieldName("hanging_transaction");
        if (hangs == null) out.writeNull();
        else HangingJson.write(out, hangs);
        out.writeArrayFieldStart("batches");
        for (var shard : shards) batchesOf(partition.partition(), shard);
        out.writeEndArray();
        out.writeEndObject();
    }

    private void batchesOf(SourcePartition partition, ShardStatus shard) throws IOException {
        for (var held : shard.view().held()) {
            if (!held.partitions().contains(partition)) continue;
            out.writeStartObject();
            out.writeStringField("shard", shard.shard().toString());
            batch(held);
            PinJson.write(out, shard, held, nowNanos);
            out.writeEndObject();
        }
    }

    private void batch(ShardView.Held held) throws IOException {
        out.writeNumberField("batch", held.batch());
        out.writeNumberField("rows", held.rows());
        out.writeNumberField("attempts", held.attempts());
        out.writeBooleanField("writing", held.writing());
        out.writeBooleanField("blocked", held.blocked());
        out.writeNumberField("age_seconds", Math.max(0, nowNanos - held.sealedNanos()) / NANOS_PER_SECOND);
        var failure = held.failure();
        text("last_failure", failure == null ? null : failure.toString());
    }

    private void shard(ShardStatus shard) throws IOException {
        var view = shard.view();
        out.writeStartObject();
        out.writeStringField("shard", shard.shard().toString());
        out.writeStringField("worker", shard.worker().name().toLowerCase(Locale.ROOT));
        out.writeBooleanField("usable", view.usable());
        out.writeBooleanField("blocked", view.blocked());
        text("waits_for", SlotWait.of(shard));
        out.writeNumberField("held_rows", view.heldRows());
        var last = view.lastAnswerNanos();
        out.writeFieldName("last_answer_seconds");
        if (last == NanoClock.NEVER) out.writeNull();
        else out.writeNumber(Math.max(0, nowNanos - last) / NANOS_PER_SECOND);
        out.writeArrayFieldStart("replicas");
        for (var replica : view.replicas()) {
            var failure = replica.lastFailure();
            out.writeStartObject();
            out.writeStringField(
                    "endpoint", shard.endpoints().get(replica.state().replica()).toString());
            out.writeStringField("breaker", replica.state().phase().name().toLowerCase(Locale.ROOT));
            text("last_failure", failure == null ? null : failure.toString());
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeEndObject();
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
