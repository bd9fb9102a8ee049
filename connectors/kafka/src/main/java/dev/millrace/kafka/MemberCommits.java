package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitFlight.Answer;
import dev.millrace.checkpoint.CommitFlight.Send;
import dev.millrace.checkpoint.PlanCodec;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.NanoClock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends the commits that one member's machine asks for, and brings it the answers.
///
/// A commit of the running loop is asynchronous: its answer comes inside a later poll and waits in
/// the inbox. In a revoke and at the end of a drain the answer is waited for, until a deadline.
///
/// Thread ownership: the source thread.
final class MemberCommits {
    private static final Logger LOG = LoggerFactory.getLogger(MemberCommits.class);

    private final Consumer<ByteBuffer, ByteBuffer> consumer;
    private final SourceMachine machine;
    private final MemberEvents events;
    private final CommitTrouble trouble;
    private final NanoClock clock;
    private @Nullable Send out;
    private @Nullable Exception fatal;
    private @Nullable TopicPartition planKept;

    MemberCommits(
            Consumer<ByteBuffer, ByteBuffer> consumer,
            SourceMachine machine,
            MemberEvents events,
            CommitTrouble trouble,
            NanoClock clock) {
        this.consumer = consumer;
        this.machine = machine;
        this.events = events;
        this.trouble = trouble;
        this.clock = clock;
    }

    /// An answer that says that nothing will ever be committed (SRC-11), or null.
    @Nullable
    Exception fatal() {
        return fatal;
    }

    /// A partition of which a plan was acknowledged since this was last asked; null for none.
    @Nullable
    TopicPartition takePlanKept() {
        var kept = planKept;
        planKept = null;
        return kept;
    }

    /// Its consumer is gone: what is out is answered by nobody.
    void giveUp() {
        events.takeInbox();
        var send = out;
        if (machine.commitOut() && send != null)
            events.now(new SourceEvent.CommitAnswered(send.attempt(), new Answer.Unknown()));
    }

    void send(Send send) {
        out = send;
        consumer.commitAsync(CommitCall.offsets(send), (_, failure) -> {
            var answer = CommitCall.answer(failure, send);
            note(send, failure, answer);
            events.later(new SourceEvent.CommitAnswered(send.attempt(), answer));
        });
    }

    private void note(Send send, @Nullable Exception failure, Answer answer) {
        if (failure == null) {
            trouble.taken(clock.nanoTime());
            if (planKept == null)
                send.entries().forEach((partition, entry) -> {
                    if (PlanCodec.isPlan(entry.metadata())) planKept = CommitCall.kafka(partition);
                });
            return;
        }
        LOG.atDebug()
                .addKeyValue("event", "commit_failed")
                .log("attempt={} why=\"{}\"", send.attempt(), failure.toString());
        trouble.failed(failure.toString(), answer instanceof Answer.Later, clock.nanoTime());
        if (CommitCall.fatal(failure)) fatal = failure;
    }

    private Answer sendAndWait(Send send, long untilNanos) {
        Exception failure = null;
        try {
            consumer.commitSync(CommitCall.offsets(send), left(untilNanos));
        } catch (RuntimeException refused) {
            failure = refused;
        }
        var answer = CommitCall.answer(failure, send);
        note(send, failure, answer);
        events.now(new SourceEvent.CommitAnswered(send.attempt(), answer));
        return answer;
    }

    /// Commits what is contiguous of these, or with null of all, until nothing is left to commit
    /// or the time is up. Returns false if the group moved on meanwhile: then only a poll tells
    /// where to, and until it did, nothing is taken.
    boolean commitNow(@Nullable Set<SourcePartition> only, long untilNanos) {
        awaitTheOneThatIsOut(untilNanos);
        while (clock.nanoTime() - untilNanos < 0) {
            var found = new ArrayList<SourceCommand>();
            machine.on(new SourceEvent.CommitNow(only), clock.nanoTime(), found::add);
            if (found.isEmpty()) return true;
            for (var command : found) {
                if (!(command instanceof SourceCommand.Commit(var send, var _))) continue;
                if (sendAndWait(send, untilNanos) instanceof Answer.Later) return false;
            }
        }
        return true;
    }

    private void awaitTheOneThatIsOut(long untilNanos) {
        events.takeInbox();
        if (!machine.commitOut()) return;
        try {
            // An empty commit returns when the callbacks of those before it were called.
            consumer.commitSync(Map.of(), left(untilNanos));
        } catch (RuntimeException late) {
            LOG.atDebug().addKeyValue("event", "commit_unanswered").log("why=\"{}\"", late.toString());
        }
        events.takeInbox();
        var send = out;
        if (machine.commitOut() && send != null)
            events.now(new SourceEvent.CommitAnswered(send.attempt(), new Answer.Unknown()));
    }

    private Duration left(long untilNanos) {
        return Duration.ofNanos(Math.max(1_000_000, untilNanos - clock.nanoTime()));
    }
}
