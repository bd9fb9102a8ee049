package dev.millrace.clickhouse;

import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.Recognition;
import dev.millrace.sinkpool.TokenLog;
import org.jspecify.annotations.Nullable;

/// For how long a token is sure to be known in one shard, by what looks at its table told (EO-10).
///
/// That is the shorter of two: the seconds that the table keeps it, and the time in which
/// everybody who writes to the table makes as many entries as it keeps. A tenth of the entries is
/// kept back for what comes between two looks.
///
/// Before a server was looked at no bound is known, and none is given: the first to write has it
/// looked at, and what a planned batch may be then is judged anew. One that does not tell is
/// believed to know as little as any.
///
/// Thread ownership: shared.
final class TokenMemory {
    private static final double NANOS_PER_SECOND = 1e9;

    /// Both guarded by this object.
    private final EntryHistory history;

    private @Nullable Remembered told;

    /// A server answered that it does not tell.
    private boolean untold;

    TokenMemory(double ownPerSecond) {
        history = new EntryHistory(ownPerSecond);
    }

    synchronized void told(Remembered remembered) {
        told = remembered;
    }

    synchronized void untold() {
        untold = true;
    }

    /// Whether nobody was looked at so far.
    synchronized boolean blank() {
        return told == null && !untold;
    }

    synchronized void saw(long nowNanos, double entriesPerSecond) {
        history.saw(nowNanos, entriesPerSecond);
    }

    /// Whether a look told it.
    synchronized boolean known() {
        return told != null;
    }

    synchronized Remembered remembered() {
        return told == null ? Remembered.UNTOLD : told;
    }

    synchronized double entriesPerSecond() {
        return history.perSecond();
    }

    synchronized Recognition recognition(TokenLog log, long nowNanos) {
        if (blank()) return Recognition.of(log);
        var remembered = remembered();
        return new Recognition(
                log, log == TokenLog.NONE ? 0 : windowNanos(remembered, nowNanos), false, remembered.readable());
    }

    private long windowNanos(Remembered remembered, long nowNanos) {
        if (remembered.entries() == 0) return 0;
        return Math.min(remembered.nanos(), history.windowNanos(nowNanos, remembered.entries() * TokenWindow.SURE));
    }

    /// That it is shorter than a replay may take, with what to set; empty where it is not.
    /// `perSecond` are the entries that everybody makes.
    static String shortOf(TableFacts table, double perSecond) {
        var needed = perSecond * TokenWindow.REPLAY.toSeconds();
        if (!table.remembers() || table.window() >= needed) return "";
        return "%s remembers %d tokens, counted in each table partition that a batch touches, of everybody who writes there: at %.0f a second that is %.0f s, and a crash with its replay takes %d s"
                .formatted(
                        table, table.window(), perSecond, table.window() / perSecond, TokenWindow.REPLAY.toSeconds());
    }

    /// In words: what bounds it.
    synchronized String text(long nowNanos) {
        var remembered = remembered();
        var window = windowNanos(remembered, nowNanos);
        if (window == NanoClock.NEVER) return "remembers " + remembered.text();
        return "remembers %s: %s, at %.1f entries a second of everybody's"
                .formatted(remembered.text(), span(window), history.perSecond());
    }

    private static String span(long nanos) {
        var seconds = nanos / NANOS_PER_SECOND;
        return seconds < 120 ? "%.0f s".formatted(seconds) : "%.0f min".formatted(seconds / 60);
    }
}
