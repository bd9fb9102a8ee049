package dev.millrace.pipeline;

import dev.millrace.config.HttpSourceConfig;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.Plaintext;
import dev.millrace.config.PoisonConfig;
import dev.millrace.kafka.SourceCheckup;
import dev.millrace.sinkpool.Checkup;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.NanoClock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Looks at all that a pipeline's file names, the source and every endpoint of every sink at once, and
/// says what would go wrong (CFG-4). Changes nothing anywhere: makes no topic, joins no group,
/// writes no row.
///
/// Every answer is waited for until one deadline. What is late for it by more than [#GRACE] is
/// left alone and told as unreached.
///
/// Thread ownership: the thread that asks; it looks on virtual threads of its own.
public final class Doctor {
    private static final Duration GRACE = Duration.ofSeconds(3);

    private final PipelineConfig config;
    private final InstantSource wallClock;
    private final NanoClock clock = NanoClock.SYSTEM;

    /// `wallClock` is what servers' clocks and records' ages are held against.
    public Doctor(PipelineConfig config, InstantSource wallClock) {
        this.config = config;
        this.wallClock = wallClock;
    }

    /// Takes at most `limit` and three seconds.
    public Diagnosis look(Duration limit) throws InterruptedException {
        var deadlineNanos = clock.nanoTime() + limit.toNanos();
        var levels = new Levels(config.delivery(), config.require());
        var source = begun(() -> source(deadlineNanos));
        var sinks = new LinkedHashMap<String, CompletableFuture<Checkup>>();
        for (var sink : config.sinks()) {
            var part = SinkPart.open(config, sink, clock);
            sinks.put(sink.name(), begun(() -> {
                try {
                    return part.checkUp(levels, deadlineNanos, wallClock);
                } finally {
                    part.sink().close();
                }
            }));
        }
        var untilNanos = deadlineNanos + GRACE.toNanos();
        var findings = new ArrayList<Finding>();
        for (var open : Plaintext.of(config))
            findings.add(Finding.hazard(
                    open.path(), "the " + open.secret() + " goes to " + open.receivers() + " in clear", open.remedy()));
        findings.addAll(Packers.look(config));
        findings.addAll(answer(source, untilNanos, List.of(late("source.kafka"))));
        var guarantees = new LinkedHashMap<String, Guarantee>();
        for (var entry : sinks.entrySet()) {
            var where = "sinks." + entry.getKey();
            var none = new Checkup(new Guarantee(Guarantee.Level.L0, "it did not answer"), List.of(late(where)));
            var checkup = answer(entry.getValue(), untilNanos, none);
            findings.addAll(checkup.findings());
            var refusal = advisory(entry.getKey()) ? null : levels.refusal(entry.getKey(), checkup.guarantee());
            // Of one that did not answer in full, the level is not known.
            if (refusal != null && checkup.findings().stream().noneMatch(Doctor::unreached))
                findings.add(Finding.fault(where, refusal, "mend it, or lower require"));
            guarantees.put(entry.getKey(), checkup.guarantee());
        }
        return new Diagnosis(findings, guarantees);
    }

    private static boolean unreached(Finding finding) {
        return finding.severity() == Finding.Severity.UNREACHED;
    }

    private boolean advisory(String sink) {
        return config.sinks().stream().anyMatch(one -> one.name().equals(sink) && one.advisory());
    }

    private List<Finding> source(long deadlineNanos) {
        if (config.source() instanceof HttpSourceConfig http) return PostedRows.look(http);
        var letters = config.poison().action() == PoisonConfig.Action.DEAD_LETTER
                ? config.poison().topic()
                : null;
        // No batch is made of these plans, so nobody's newest tokens are asked for.
        var planning = Wiring.planning(config, new Fingerprints(config).ofAll(), _ -> Map.of());
        var settings = Wiring.source(config).planning(planning);
        return new SourceCheckup(settings, letters, clock, wallClock).look(deadlineNanos);
    }

    @FunctionalInterface
    private interface Looking<T> {
        T look() throws InterruptedException;
    }

    private static <T> CompletableFuture<T> begun(Looking<T> looking) {
        var answer = new CompletableFuture<T>();
        Thread.ofVirtual().start(() -> {
            try {
                answer.complete(looking.look());
            } catch (Throwable fault) {
                answer.completeExceptionally(fault);
            }
        });
        return answer;
    }

    private <T> T answer(CompletableFuture<T> of, long untilNanos, T ifLate) throws InterruptedException {
        try {
            return of.get(Math.max(0, untilNanos - clock.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            return ifLate;
        } catch (ExecutionException fault) {
            throw new IllegalStateException("looking at the pipeline failed", fault.getCause());
        }
    }

    private static Finding late(String where) {
        return Finding.unreached(where, "it had not answered when the time was over", "give it longer with --timeout");
    }
}
