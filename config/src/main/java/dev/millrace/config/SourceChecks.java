package dev.millrace.config;

import java.util.HashSet;
import java.util.List;

/// What of the source, the format and the route cannot work together.
record SourceChecks(Problems problems, Values root) {

    void run() {
        var kafka = root.get(SourceKeys.SOURCE).get(SourceKeys.KAFKA);
        staticMembership(kafka);
        format(root.get(SourceKeys.FORMAT));
        var sinks = root.get(SinkKeys.SINKS);
        sinks.forEach(sink -> topics(kafka, sink));
        goesSomewhere(kafka, sinks);
    }

    private void staticMembership(Values kafka) {
        var consumers = kafka.find(SourceKeys.CONSUMERS);
        var properties = kafka.find(SourceKeys.PROPERTIES);
        if (consumers == null || properties == null || consumers.value() == 1) return;
        if (properties.value().names().contains("group.instance.id")) {
            problems.error(
                    properties.place(),
                    properties.path() + ".group.instance.id",
                    "conflicts with consumers: " + consumers.value()
                            + ", as members of one id fence each other; set consumers to 1 or leave it out");
        }
    }

    private void format(Values format) {
        var json = format.get(SourceKeys.JSON);
        var raw = format.get(SourceKeys.RAW);
        if (json.present() && raw.present()) {
            problems.error(raw.place(), raw.path(), "conflicts with format.json; keep one of them");
        }
    }

    private void topics(Values kafka, Values.Named sink) {
        var read = kafka.find(SourceKeys.TOPICS);
        var taken = sink.values().find(SinkKeys.TOPICS);
        if (read == null || taken == null) return;
        switch (read.value()) {
            case Topics.Matching _ ->
                problems.error(
                        taken.place(),
                        taken.path(),
                        "conflicts with a topics pattern, whose later topics would go nowhere; leave it out");
            case Topics.Listed(var names) -> compare(names, taken);
        }
    }

    private void compare(List<String> read, Value<List<String>> taken) {
        for (var topic : taken.value()) {
            if (read.contains(topic)) continue;
            var near = Spelling.nearest(topic, read);
            problems.error(
                    taken.place(),
                    taken.path(),
                    topic + " is not in source.kafka.topics; "
                            + (near == null ? "add it there" : "did you mean " + near + "?"));
        }
    }

    /// Every topic read must go somewhere, or it would be acknowledged unwritten. A sink that names none takes all.
    private void goesSomewhere(Values kafka, List<Values.Named> sinks) {
        var read = kafka.find(SourceKeys.TOPICS);
        if (read == null || !(read.value() instanceof Topics.Listed(var names)) || sinks.isEmpty()) return;
        var taken = new HashSet<String>();
        for (var sink : sinks) {
            var topics = sink.values().find(SinkKeys.TOPICS);
            if (topics == null) return;
            taken.addAll(topics.value());
        }
        var last = sinks.getLast().values().find(SinkKeys.TOPICS);
        if (last == null) return;
        for (var topic : names) {
            if (taken.contains(topic)) continue;
            problems.error(
                    last.place(),
                    last.path(),
                    topic + " is read but goes to no sink; add it here, or take it out of source.kafka.topics");
        }
    }
}
