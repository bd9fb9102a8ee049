package dev.millrace.bench;

import dev.millrace.bench.HandOver.Kind;
import java.io.PrintStream;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/// Runs [ReserveAndRecord] with 1, 2, 4 and 8 producers, and holds the front against the others.
final class ProducerBench {
    private static final List<Integer> PRODUCERS = List.of(1, 2, 4, 8);
    private static final double OF_THE_DISRUPTOR = 1.5;

    private final PrintStream out;

    ProducerBench(PrintStream out) {
        this.out = out;
    }

    /// Returns whether the front is ahead of both queues, and within 1.5 times of the faster Disruptor, at every count.
    boolean run() throws RunnerException {
        var reached = true;
        out.println("millions of items a second, all producers together");
        for (var producers : PRODUCERS) reached &= tell(producers, measure(producers));
        return reached;
    }

    private static Map<Kind, Double> measure(int producers) throws RunnerException {
        var options = new OptionsBuilder()
                .include("^" + ReserveAndRecord.class.getName() + "\\.")
                .threads(producers)
                .shouldFailOnError(true)
                .build();
        var rates = new EnumMap<Kind, Double>(Kind.class);
        for (var result : new Runner(options).run())
            rates.put(
                    Kind.valueOf(result.getParams().getParam("into")),
                    result.getPrimaryResult().getScore());
        return rates;
    }

    private boolean tell(int producers, Map<Kind, Double> rates) {
        for (var kind : Kind.values())
            out.println(
                    String.format(Locale.ROOT, "%d producers, %s: %.1f", producers, kind.title(), rate(rates, kind)));
        var reached = reached(rates);
        out.println(producers + " producers: ahead of the queues, and within " + OF_THE_DISRUPTOR
                + " x of the Disruptor: " + (reached ? "reached" : "NOT REACHED"));
        return reached;
    }

    static boolean reached(Map<Kind, Double> rates) {
        var front = rate(rates, Kind.FRONT);
        return front > rate(rates, Kind.LINKED)
                && front > rate(rates, Kind.ARRAY)
                && front * OF_THE_DISRUPTOR >= rate(rates, Kind.DISRUPTOR)
                && front * OF_THE_DISRUPTOR >= rate(rates, Kind.DISRUPTOR_SPINNING);
    }

    private static double rate(Map<Kind, Double> rates, Kind kind) {
        return Objects.requireNonNull(rates.get(kind), kind.title());
    }
}
