package dev.millrace.httpclient;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/// The requests of one writer that are under way: closing it ends them all, and those that come later as
/// they begin.
///
/// Thread ownership: shared by attempts.
public final class UnderWay implements AutoCloseable {
    private final Set<Runnable> ends = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /// For one request, until it is over: takes how to end it, and passes that on.
    public Known with(Consumer<Runnable> onCancel) {
        return new Known(onCancel);
    }

    @Override
    public void close() {
        closed = true;
        ends.forEach(Runnable::run);
    }

    /// One request, as long as it is known here.
    public final class Known implements Consumer<Runnable>, AutoCloseable {
        private final Consumer<Runnable> onCancel;
        private final List<Runnable> mine = new ArrayList<>(1);

        private Known(Consumer<Runnable> onCancel) {
            this.onCancel = onCancel;
        }

        @Override
        public void accept(Runnable end) {
            mine.add(end);
            ends.add(end);
            onCancel.accept(end);
            // Looked at after it is known: a close in between ends it, or is seen here.
            if (closed) end.run();
        }

        @Override
        public void close() {
            mine.forEach(ends::remove);
        }
    }
}
