package dev.millrace.sinkpool;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The descriptions of one destination, in the order in which they were found, each under its number: see
/// [RowEncoder#layout]. One is kept for as long as the sink lives, since a batch may still be sent by it.
///
/// Thread ownership: shared.
public final class Layouts<D> {
    /// A description and its number, from 0.
    public record Layout<D>(int number, D description) {}

    private final BiPredicate<D, D> same;
    private final List<Layout<D>> all = new CopyOnWriteArrayList<>();
    private volatile Runnable told = () -> {};

    /// `same` says of the latest and of what was found whether rows are made alike for both.
    public Layouts(BiPredicate<D, D> same) {
        this.same = same;
    }

    /// Who is told of each but the first.
    public void onNew(Runnable who) {
        told = who;
    }

    /// What encoders are made for now; null before anything was found.
    public @Nullable Layout<D> latest() {
        return all.isEmpty() ? null : all.getLast();
    }

    /// Throws for a number that was never given.
    public D of(int layout) {
        return all.get(layout).description();
    }

    /// The names, such as of columns, that an earlier description has and the latest lacks.
    public Set<String> gone(Function<D, ? extends Collection<String>> names) {
        var gone = new TreeSet<String>();
        for (var layout : all) gone.addAll(names.apply(layout.description()));
        if (!all.isEmpty()) gone.removeAll(names.apply(all.getLast().description()));
        return gone;
    }

    /// It looks like this now. Returns whether that is another layout than the one before.
    public boolean found(D description) {
        boolean first;
        synchronized (this) {
            first = all.isEmpty();
            if (!first && same.test(all.getLast().description(), description)) return false;
            all.add(new Layout<>(all.size(), description));
        }
        if (!first) told.run();
        return !first;
    }
}
