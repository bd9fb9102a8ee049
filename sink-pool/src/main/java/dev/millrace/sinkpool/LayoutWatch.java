package dev.millrace.sinkpool;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Has a destination looked at now and then, and soon after somebody had reason to think that it changed.
///
/// Two looks are a second apart at least, whoever asks.
///
/// Thread ownership: shared; looks are taken on a thread of its own.
public final class LayoutWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LayoutWatch.class);
    private static final Duration EVERY = Duration.ofSeconds(10);
    private static final Duration APART = Duration.ofSeconds(1);

    private final String sink;
    private final Supplier<@Nullable String> look;
    private final Duration every;
    private final Duration apart;
    private final Semaphore asked = new Semaphore(0);
    private final Thread thread;
    private volatile boolean closed;

    private @Nullable String told;

    private LayoutWatch(String sink, Supplier<@Nullable String> look, Duration every, Duration apart) {
        this.sink = sink;
        this.look = look;
        this.every = every;
        this.apart = apart;
        thread = Thread.ofPlatform().daemon().name("millrace-layout-" + sink).unstarted(this::run);
    }

    /// Begins to look. A look says why the destination can't be written to as it is now, in words for a
    /// person, or null: that is told once.
    public static LayoutWatch over(String sink, Supplier<@Nullable String> look) {
        return over(sink, look, EVERY, APART);
    }

    /// `apart` is shorter than `every`.
    static LayoutWatch over(String sink, Supplier<@Nullable String> look, Duration every, Duration apart) {
        var watch = new LayoutWatch(sink, look, every, apart);
        watch.thread.start();
        return watch;
    }

    /// Somebody has reason to think that it changed.
    public void soon() {
        asked.release();
    }

    private void run() {
        try {
            while (!closed) {
                Thread.sleep(apart);
                var _ = asked.tryAcquire(every.minus(apart).toNanos(), TimeUnit.NANOSECONDS);
                // What is asked for during a look is not answered by it.
                asked.drainPermits();
                if (!closed) look();
            }
        } catch (InterruptedException _) {
            // Closed: nobody asks any more.
        }
    }

    private void look() {
        try {
            var unusable = look.get();
            if (unusable != null && !unusable.equals(told))
                LOG.atWarn()
                        .addKeyValue("event", "table_unusable")
                        .addKeyValue("sink", sink)
                        .log(unusable);
            told = unusable;
        } catch (Throwable failure) {
            // Whatever it is: without looks a table that changed is held for ever.
            LOG.atError()
                    .addKeyValue("event", "layout_watch_failed")
                    .setCause(failure)
                    .log("looked at again");
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
