package dev.millrace.cli.proof;

import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// What is alive in a JVM's heap, class by class, counted in a full collection: exact, and not what happens to
/// be there when somebody looks.
record HeapHistogram(long bytes, Map<String, Count> classes) {
    private static final Pattern LINE = Pattern.compile("\\s*\\d+:\\s+(\\d+)\\s+(\\d+)\\s+(\\S+).*");
    private static final int MOST_GROWN = 12;

    record Count(long instances, long bytes) {
        static final Count NONE = new Count(0, 0);
    }

    HeapHistogram {
        classes = Map.copyOf(classes);
    }

    /// Makes the process collect, and count.
    static HeapHistogram of(Jcmd process) throws IOException, InterruptedException {
        return parse(process.ask("GC.class_histogram"));
    }

    static HeapHistogram parse(List<String> lines) {
        var classes = new HashMap<String, Count>();
        var bytes = 0L;
        for (var line : lines) {
            var matcher = LINE.matcher(line);
            if (!matcher.matches()) continue;
            var count = new Count(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)));
            // Of two loaders a class comes twice.
            classes.merge(
                    matcher.group(3),
                    count,
                    (one, other) -> new Count(one.instances() + other.instances(), one.bytes() + other.bytes()));
            bytes += count.bytes();
        }
        if (classes.isEmpty()) throw new AssertionError("no histogram: " + lines);
        return new HeapHistogram(bytes, classes);
    }

    Count of(String name) {
        return classes.getOrDefault(name, Count.NONE);
    }

    /// The classes of which there is most more than there was then.
    String grownSince(HeapHistogram then) {
        return classes.keySet().stream()
                .sorted(Comparator.comparingLong((String name) -> then.of(name).bytes() - of(name).bytes()))
                .limit(MOST_GROWN)
                .map(name -> String.format(
                        "%s: %,d bytes more, %,d instances for %,d",
                        name,
                        of(name).bytes() - then.of(name).bytes(),
                        of(name).instances(),
                        then.of(name).instances()))
                .collect(Collectors.joining("\n"));
    }
}
