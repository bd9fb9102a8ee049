package dev.millrace.sinkpool;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One write or ping on a virtual thread of its own, and the way to end it from outside.
///
/// Invariant: a hook is not run once the writer has returned, since what it would close may be another attempt's by
/// then. Exactly one of `AttemptEnded` and `AttemptLost` is told, when the thread ends, whatever the writer throws
/// and however late that is.
///
/// Thread ownership: the writer's calls belong to the attempt's thread; `begin` and `cancel` to the shard worker.
abstract class AttemptThread {
    private final long id;
    private final long deadlineNanos;
    private final Consumer<ShardEvent> tell;
    private final Object guard = new Object();
    private @Nullable Thread thread;
    private @Nullable Runnable hook;
    private boolean cancelled;

    AttemptThread(long id, long deadlineNanos, Consumer<ShardEvent> tell) {
        this.id = id;
        this.deadlineNanos = deadlineNanos;
        this.tell = tell;
    }

    abstract @Nullable WriteOutcome call() throws Exception;

    public final long deadlineNanos() {
        return deadlineNanos;
    }

    public final void onCancel(Runnable end) {
        synchronized (guard) {
            hook = end;
            if (!cancelled) return;
        }
        end.run();
    }

    /// Starts the thread; an attempt whose thread cannot be started is lost.
    final void begin(String name) {
        try {
            thread = Thread.ofVirtual().name(name).start(this::run);
        } catch (Throwable cause) {
            tell.accept(new ShardEvent.AttemptLost(id, failureOf("not-started", cause)));
        }
    }

    private void run() {
        ShardEvent event = new ShardEvent.AttemptLost(id, new Failure("lost", "the writer gave no outcome", true));
        try {
            var outcome = call();
            if (outcome != null) event = new ShardEvent.AttemptEnded(id, outcome);
        } catch (InterruptedException _) {
            event = new ShardEvent.AttemptLost(id, new Failure("interrupted", "the attempt was interrupted", true));
        } catch (Throwable cause) {
            var failure = failureOf("writer-threw", cause);
            event = new ShardEvent.AttemptEnded(
                    id, new WriteOutcome.Unavailable(failure, new WriteOutcome.Blame.Replica()));
        } finally {
            synchronized (guard) {
                hook = null;
            }
            tell.accept(event);
        }
    }

    /// Runs the cancel hook on a thread of its own, since it may block, and interrupts the attempt.
    final void cancel() {
        Runnable end;
        synchronized (guard) {
            cancelled = true;
            end = hook;
        }
        if (end != null)
            Thread.ofPlatform().daemon().name("millrace-cancel-" + id).start(quietly(end));
        if (thread != null) thread.interrupt();
    }

    /// A hook that throws has done what it could: the attempt is given up anyway, and its end is told by its own
    /// thread.
    private static Runnable quietly(Runnable end) {
        return () -> {
            try {
                end.run();
            } catch (Throwable cause) {
                ShardLog.hookFailed(cause);
            }
        };
    }

    /// What a `Throwable` says of itself, without trusting it: its class, and nothing of its message, which may hold
    /// rows.
    private static Failure failureOf(String code, Throwable cause) {
        return new Failure(code, cause.getClass().getName(), true);
    }
}
