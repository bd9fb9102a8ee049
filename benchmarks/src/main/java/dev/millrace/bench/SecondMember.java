package dev.millrace.bench;

import dev.millrace.pipeline.DrainReport;
import dev.millrace.pipeline.Pipeline;
import dev.millrace.pipeline.StartFailure;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A pipeline that joins the group of another when a quarter of the rows is there, and leaves it when three
/// quarters are and it has read some of them.
///
/// Thread ownership: `look` one thread; `report` and `close` another.
final class SecondMember {
    private final Supplier<Pipeline> made;
    private final Taken taken;
    private final long records;
    private final CompletableFuture<DrainReport> report = new CompletableFuture<>();
    private volatile @Nullable Pipeline pipeline;
    private boolean left;

    SecondMember(Supplier<Pipeline> made, Taken taken, long records) {
        this.made = made;
        this.taken = taken;
        this.records = records;
    }

    /// Joins or leaves if it is time to. Returns whether it has just left.
    boolean look() {
        var there = pipeline;
        if (there == null) {
            if (taken.rows() >= records / 4) join();
            return false;
        }
        if (!there.ended()
                && taken.rows() >= records * 3 / 4
                && there.progress().polled() > 0) there.stop("it leaves the group");
        if (left || !report.isDone()) return false;
        left = true;
        return true;
    }

    private void join() {
        var joining = made.get();
        pipeline = joining;
        Thread.ofPlatform().daemon().name("bench-second").start(() -> {
            try {
                joining.start();
                report.complete(joining.awaitEnd());
            } catch (StartFailure | RuntimeException failure) {
                report.completeExceptionally(failure);
            }
        });
    }

    /// Null for one that never joined.
    @Nullable
    DrainReport report() {
        var there = pipeline;
        if (there == null) return null;
        there.stop("all is read");
        return report.join();
    }

    void close() {
        var there = pipeline;
        if (there != null) there.close();
    }
}
