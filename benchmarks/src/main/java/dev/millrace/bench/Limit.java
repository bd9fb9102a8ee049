package dev.millrace.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/// What held a reading up: all that was busy for at least [#BUSY] of the clock's time, by the processor time that was
/// counted, and where nothing was, how busy each was.
final class Limit {
    static final double BUSY = 0.85;

    private static final double WORTH_A_WORD = 0.01;
    private static final double OTHERS = 0.1;
    private static final List<Figure> MEASURED =
            List.of(Figure.CPU_NANOS, Figure.BROKER_NANOS, Figure.SINK_NANOS, Figure.IDLE_NANOS);

    private Limit() {}

    /// Of several readings together, on a machine of so many processors. What other processes took of them is told
    /// where it is worth a word.
    static String of(List<Reading> readings, int processors) {
        var machine = Math.min(1, share(readings, Figure.MACHINE_NANOS) / processors);
        var shares = new LinkedHashMap<String, Double>();
        shares.put("poll thread", share(readings, Figure.SOURCE_NANOS));
        shares.put("broker", share(readings, Figure.BROKER_NANOS));
        shares.put("sink's processes", share(readings, Figure.SINK_NANOS));
        shares.put(processors == 1 ? "the processor" : "all processors", machine);
        var busy = text(shares, BUSY);
        var limit = busy.isEmpty() ? "nothing: it waits (" + text(shares, WORTH_A_WORD) + ")" : busy;
        var others = machine
                - MEASURED.stream()
                                .mapToDouble(figure -> share(readings, figure))
                                .sum()
                        / processors;
        return others < OTHERS ? limit : limit + String.format(Locale.ROOT, "; others took %.0f %%", 100 * others);
    }

    private static String text(Map<String, Double> shares, double least) {
        return shares.entrySet().stream()
                .filter(share -> share.getValue() >= least)
                .map(share -> String.format(Locale.ROOT, "%s %.0f %%", share.getKey(), 100 * share.getValue()))
                .collect(Collectors.joining(", "));
    }

    private static double share(List<Reading> readings, Figure figure) {
        return readings.stream()
                .mapToDouble(reading -> reading.share(figure))
                .average()
                .orElse(0);
    }
}
