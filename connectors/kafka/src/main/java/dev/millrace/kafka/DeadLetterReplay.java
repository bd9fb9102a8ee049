package dev.millrace.kafka;

import dev.millrace.kafka.DeadLetterDesk.Progress;
import dev.millrace.kafka.DeadLetterEntry.Letter;
import dev.millrace.sinkpool.NanoClock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

/// Sends dead letters back to their topics, round by round: the rows, until each is acknowledged or refused, then a
/// mark for each that was acknowledged.
///
/// A process that is killed leaves at most one round sent and not marked. What refuses a single row fails that row;
/// what refuses all ends the replay.
///
/// Thread ownership: one thread.
final class DeadLetterReplay {
    private static final long ROUND_BYTES = 8 << 20;
    private static final int MOST_TOLD = 10;
    private static final long SLICE_NANOS = 50_000_000L;

    private record Row(ConsumerRecord<byte[], byte[]> record, Letter letter) {}

    private record Sent(Row row, RecordPlace to) {}

    private final ReplaySettings settings;
    private final ReplayPlan plan;
    private final @Nullable Producer<byte[], byte[]> producer;
    private final NanoClock clock;
    private final BooleanSupplier stopped;
    private final Pace pace;
    private final Set<RecordPlace> left;
    private final List<Row> round = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private long roundBytes;
    private long replayed;
    private long failed;
    private long unmarked;
    private @Nullable String ended;

    /// `producer` is null for a dry run.
    DeadLetterReplay(
            ReplaySettings settings,
            ReplayPlan plan,
            @Nullable Producer<byte[], byte[]> producer,
            NanoClock clock,
            BooleanSupplier stopped) {
        this.settings = settings;
        this.plan = plan;
        this.producer = producer;
        this.clock = clock;
        this.stopped = stopped;
        this.pace = new Pace(settings.rate());
        this.left = new HashSet<>(plan.sending().keySet());
    }

    ReplayReport run(DeadLetterReader reader, Progress progress) {
        if (!left.isEmpty()) reader.read(record -> take(record, progress));
        if (goesOn()) sendRound(progress);
        if (ended == null && untried() > 0)
            ended = stopped.getAsBoolean() ? "stopped" : "retention took letters meanwhile";
        return new ReplayReport(
                replayed, plan.skipped(), failed, unmarked, untried(), failures, ended == null ? "" : ended);
    }

    private long untried() {
        return plan.sending().size() - replayed - failed;
    }

    private boolean goesOn() {
        return ended == null && !stopped.getAsBoolean();
    }

    /// Returns whether more is wanted.
    private boolean take(ConsumerRecord<byte[], byte[]> record, Progress progress) {
        if (!left.remove(new RecordPlace(record.topic(), record.partition(), record.offset()))) return true;
        if (!(DeadLetterEntry.of(record) instanceof Letter letter))
            throw new IllegalStateException(record.topic() + " holds other records than before");
        round.add(new Row(record, letter));
        roundBytes += Math.max(0, record.serializedKeySize()) + (long) Math.max(0, record.serializedValueSize());
        if (round.size() >= pace.round() || roundBytes >= ROUND_BYTES) sendRound(progress);
        return goesOn() && !left.isEmpty();
    }

    private void sendRound(Progress progress) {
        if (round.isEmpty() || !awaitTurn()) return;
        var to = producer;
        pace.took(round.size(), clock.nanoTime());
        if (to == null) replayed += round.size();
        else mark(to, send(to));
        round.clear();
        roundBytes = 0;
        progress.done(replayed + failed, plan.sending().size());
    }

    /// Returns false if it is to stop.
    private boolean awaitTurn() {
        while (goesOn()) {
            var wait = producer == null ? 0 : pace.waitNanos(clock.nanoTime());
            if (wait == 0) return true;
            LockSupport.parkNanos(Math.min(wait, SLICE_NANOS));
        }
        return false;
    }

    private List<Sent> send(Producer<byte[], byte[]> to) {
        var answers = new ArrayList<@Nullable Future<RecordMetadata>>();
        for (var row : round) answers.add(start(to, row));
        to.flush();
        var sent = new ArrayList<Sent>();
        for (var i = 0; i < round.size(); i++) {
            var answer = answers.get(i);
            if (answer == null) continue;
            var row = round.get(i);
            switch (ending(answer)) {
                case Ending.Taken(var place) -> {
                    replayed++;
                    sent.add(new Sent(row, place));
                }
                case Ending.Refused(var why) -> fail(row, why);
            }
        }
        return sent;
    }

    /// Null where it was refused at once, or nothing is sent any more.
    private @Nullable Future<RecordMetadata> start(Producer<byte[], byte[]> to, Row row) {
        if (ended != null) return null;
        var target = plan.target(row.letter().origin().place().topic());
        try {
            return to.send(ReplayRecord.of(row.record(), row.letter(), target, settings.nowMillis()));
        } catch (KafkaException | IllegalStateException why) {
            fail(row, why);
            return null;
        }
    }

    private void mark(Producer<byte[], byte[]> to, List<Sent> sent) {
        var answers = new ArrayList<Future<RecordMetadata>>();
        try {
            for (var one : sent)
                answers.add(to.send(
                        ReplayRecord.mark(one.row().record().key(), one.row().letter(), one.to())));
            to.flush();
        } catch (KafkaException | IllegalStateException why) {
            end(why);
        }
        for (var i = 0; i < sent.size(); i++) {
            if (i < answers.size() && ending(answers.get(i)) instanceof Ending.Taken) continue;
            unmarked++;
            tell(sent.get(i).row(), "was sent to " + sent.get(i).to() + " and could not be marked as replayed");
        }
        if (unmarked > 0 && ended == null) ended = "the dead-letter topic takes no marks";
    }

    private sealed interface Ending {
        record Taken(RecordPlace place) implements Ending {}

        record Refused(Throwable why) implements Ending {}
    }

    // Flushed before: it is there.
    private static Ending ending(Future<RecordMetadata> answer) {
        try {
            var said = answer.get();
            return new Ending.Taken(new RecordPlace(said.topic(), said.partition(), Math.max(0, said.offset())));
        } catch (ExecutionException refused) {
            var cause = refused.getCause();
            return new Ending.Refused(cause == null ? refused : cause);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return new Ending.Refused(interrupted);
        }
    }

    private void fail(Row row, Throwable why) {
        failed++;
        tell(row, why.getClass().getSimpleName() + ": " + why.getMessage());
        end(why);
    }

    private void end(Throwable why) {
        var ofTheRow = why instanceof RecordTooLargeException
                || why instanceof InvalidRecordException
                || why instanceof InvalidTimestampException;
        if (!ofTheRow && ended == null) ended = why.getClass().getSimpleName() + ": " + why.getMessage();
    }

    private void tell(Row row, String what) {
        if (failures.size() < MOST_TOLD) failures.add(row.letter().origin().place() + " " + what);
    }
}
