package dev.millrace.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/// What held a reading up: all that was busy for at least [#BUSY] of the clock's time, by the processor time that was
/// counted, and where nothing was, how busy each was.
final class Limit {
    static final double BUSY = 0.85;

    private Limit() {}

    /// Of several readings together, on a machine of so many processors.
    static String of(List<Reading> readings, int processors) {
        var shares = List.of(
                Map.entry("poll thread", share(readings, Figure.SOURCE_NANOS)),
                Map.entry("broker", share(readings, Figure.BROKER_NANOS)),
                Map.entry("sink's processes", share(readings, Figure.SINK_NANOS)),
                Map.entry(
                        processors == 1 ? "the processor" : "all processors",
                        share(readings, Figure.MACHINE_NANOS) / processors));
        var busy = new ArrayList<String>();
        for (var share : shares) if (share.getValue() >= BUSY) busy.add(text(share));
        if (!busy.isEmpty()) return String.join(", ", busy);
        return "nothing: it waits ("
                + shares.stream()
                        .filter(share -> share.getValue() >= 0.01)
                        .map(Limit::text)
                        .collect(Collectors.joining(", "))
                + ")";
    }

    private static double share(List<Reading> readings, Figure figure) {
        return readings.stream()
                .mapToDouble(reading -> reading.share(figure))
                .average()
                .orElse(0);
    }

    private static String text(Map.Entry<String, Double> share) {
        return String.format(Locale.ROOT, "%s %.0f %%", share.getKey(), 100 * share.getValue());
    }
}
