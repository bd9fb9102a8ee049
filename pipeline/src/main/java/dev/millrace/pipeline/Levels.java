package dev.millrace.pipeline;

import dev.millrace.config.Delivery;
import dev.millrace.config.RequiredLevel;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.Guarantee.Level;
import java.util.Collection;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/// What is promised of repeats in a sink: the highest level that its servers allow, or less where
/// the pipeline does not use it (EO-11).
///
/// L2 and above take a plan that outlives the run, so they take `delivery: effectively_once`, and
/// a broker that keeps the plan: `noPlan` says why there is none, and what to do, or is null.
record Levels(
        Delivery delivery, RequiredLevel require, @Nullable String noPlan) {

    /// Of a group whose broker keeps plans, as far as is known.
    Levels(Delivery delivery, RequiredLevel require) {
        this(delivery, require, null);
    }

    /// The least of what the shards of one sink allow. A sink has a shard.
    static Guarantee least(Collection<Guarantee> shards) {
        return shards.stream().min(Comparator.comparing(Guarantee::level)).orElseThrow();
    }

    /// Of a shard whose servers keep tokens in the transaction of their rows, or do not.
    static Guarantee ofTransactions(String shard, boolean keepsTokens, boolean ignoresConflicts) {
        if (keepsTokens)
            return new Guarantee(Level.L4, "each token commits in the transaction of its rows, and never expires");
        var remedy = shard + " was not found to have the table of tokens: millrace init makes it, with delivery:"
                + " effectively_once";
        return ignoresConflicts
                ? new Guarantee(
                        Level.L1,
                        remedy + "; with on_conflict: ignore a repeat is stored once as far as a unique index names a"
                                + " row")
                : new Guarantee(Level.L0, remedy);
    }

    /// What the pipeline makes of what a sink allows.
    Guarantee of(Guarantee allowed) {
        if (allowed.level().compareTo(Level.L1) <= 0) return allowed;
        if (noPlan != null) return new Guarantee(Level.L1, noPlan);
        if (delivery == Delivery.AT_LEAST_ONCE)
            return new Guarantee(
                    Level.L1,
                    "with delivery: at_least_once tokens do not outlive the run; with effectively_once it would be "
                            + allowed.level() + ": " + allowed.why());
        return allowed;
    }

    /// Of an advisory sink, whatever its servers know.
    static Guarantee ofAdvisory() {
        return new Guarantee(Level.L0, "advisory: each batch goes out once, and nothing waits for it");
    }

    /// As the file asks for it.
    String asked() {
        return require.word();
    }

    boolean asksForOne() {
        return require != RequiredLevel.NONE;
    }

    /// Why the pipeline must not start with this sink, in one line, or null.
    @Nullable
    String refusal(String sink, Guarantee found) {
        var least = least();
        if (least == null || found.level().compareTo(least) >= 0) return null;
        return "sink %s: %s, and require asks for %s: %s".formatted(sink, found.level(), least, found.why());
    }

    private @Nullable Level least() {
        return switch (require) {
            case NONE -> null;
            case L1 -> Level.L1;
            case L2 -> Level.L2;
            case L3 -> Level.L3;
            case L4 -> Level.L4;
        };
    }
}
