package dev.millrace.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.millrace.config.Redaction;
import dev.millrace.sinkpool.NanoClock;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// Writes log lines, repeats held back.
///
/// A subject is the event's name with those of its fields that say of what it is, or, where it names nothing, its text.
/// What is told for each row by a part that counts for itself is told as it comes, and so is all at `debug` and below.
///
/// Thread ownership: any; one line at a time.
final class LogAppender extends AppenderBase<ILoggingEvent> {
    private static final long INTERVAL_NANOS = 10_000_000_000L;
    private static final Duration SWEEP = Duration.ofSeconds(1);
    private static final int MOST_SUBJECTS = 1_000;
    private static final Set<String> COUNTED = Set.of("row_poison", "row_skipped", "advisory_dropped");
    private static final Set<String> SUBJECT = Set.of(
            "event",
            "sink",
            "shard",
            "replica",
            "batch",
            "topic",
            "partition",
            "partitions",
            "member",
            "table",
            "file",
            "why");
    private static final Pattern NAMED_IN_TEXT =
            Pattern.compile("\\b(?:partitions?|member|topic|shard|sink|table)=(?:\\[[^]]*]|\\S+)");

    private final LogFormat format;
    private volatile LogFormat now;
    private final boolean all;
    private final PrintStream out;
    private final NanoClock clock;
    private final Repeats<ILoggingEvent> repeats = new Repeats<>(INTERVAL_NANOS, MOST_SUBJECTS);
    private final Thread sweeper =
            Thread.ofPlatform().daemon().name("millrace-log").unstarted(this::sweep);

    /// `all`: holds nothing back.
    LogAppender(LogFormat format, boolean all, PrintStream out, NanoClock clock) {
        this.format = format;
        this.now = format;
        this.all = all;
        this.out = out;
        this.clock = clock;
    }

    /// Leaves these out too from now on, in place of those of the last call.
    void hide(Redaction also) {
        now = new LogFormat(format.format(), format.redaction().and(also));
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (all || event.getLevel().toInt() < Level.INFO_INT || COUNTED.contains(name(event))) {
            write(List.of(new Repeats.Told<>(event, 0)));
            return;
        }
        String subject;
        try {
            subject = subject(event);
        } catch (RuntimeException fault) {
            out.print(now.unmade(event, fault));
            out.flush();
            return;
        }
        write(repeats.offer(subject, event, clock.nanoTime()));
    }

    @Override
    public void start() {
        super.start();
        if (!all) sweeper.start();
    }

    /// Tells what is over though nothing is logged.
    private void sweep() {
        try {
            while (true) {
                Thread.sleep(SWEEP);
                synchronized (this) {
                    write(repeats.due(clock.nanoTime()));
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(List<Repeats.Told<ILoggingEvent>> told) {
        if (told.isEmpty()) return;
        for (var one : told) out.print(line(one));
        out.flush();
    }

    /// Whatever stands in it: a line that can't be made is told by its event, and keeps nobody from the next.
    private String line(Repeats.Told<ILoggingEvent> one) {
        try {
            return now.line(one.what(), one.leftOut());
        } catch (RuntimeException fault) {
            return now.unmade(one.what(), fault);
        }
    }

    private static String name(ILoggingEvent event) {
        var pairs = event.getKeyValuePairs();
        if (pairs == null) return "";
        for (var pair : pairs) if (pair.key.equals(LogFormat.EVENT)) return String.valueOf(pair.value);
        return "";
    }

    private static String subject(ILoggingEvent event) {
        var names = new TreeSet<String>();
        var pairs = event.getKeyValuePairs();
        if (pairs != null)
            for (var pair : pairs) if (SUBJECT.contains(pair.key)) names.add(pair.key + '=' + pair.value);
        NAMED_IN_TEXT.matcher(event.getFormattedMessage()).results().forEach(match -> names.add(match.group()));
        return names.size() > 1 ? names.toString() : names + event.getLoggerName() + event.getFormattedMessage();
    }

    /// Tells what was held back.
    @Override
    public synchronized void stop() {
        if (!isStarted()) return;
        super.stop();
        sweeper.interrupt();
        write(repeats.rest());
    }
}
