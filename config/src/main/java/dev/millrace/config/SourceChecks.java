package dev.millrace.config;

import dev.millrace.config.KafkaSourceConfig.GroupProtocol;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;

/// What of the source, the format and the route cannot work together.
record SourceChecks(Problems problems, Values root) {
    private static final String MAX_POLL_INTERVAL = "max.poll.interval.ms";

    void run() {
        var source = root.get(SourceKeys.SOURCE);
        var kafka = source.get(SourceKeys.KAFKA);
        var http = source.get(IntakeKeys.HTTP);
        kind(source, kafka.present(), http.present());
        staticMembership(kafka);
        groupProtocol(kafka);
        login(kafka);
        skips(kafka);
        revokes(kafka);
        if (http.present()) new IntakeChecks(problems, root, http).run();
        format(root.get(SourceKeys.FORMAT));
        var read = IntakeChecks.topics(root);
        if (read == null) return;
        var sinks = root.get(SinkKeys.SINKS);
        sinks.forEach(sink -> topics(read, sink));
        goesSomewhere(
                read,
                sinks.stream().filter(sink -> !SinkKeys.advisory(sink.values())).toList());
    }

    private void kind(Values source, boolean kafka, boolean http) {
        if (kafka && http)
            problems.error(source.place(), source.path(), "has both kafka and http; keep one, and run two pipelines");
        if (source.present() && !kafka && !http)
            problems.error(source.place(), source.path(), "has no kind; add kafka or http below it");
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

    /// What the members of a classic group settle among themselves is the broker's under the other protocol, whose
    /// client refuses them.
    private void groupProtocol(Values kafka) {
        var properties = kafka.find(SourceKeys.PROPERTIES);
        if (properties == null || kafka.orNull(SourceKeys.GROUP_PROTOCOL) != GroupProtocol.CONSUMER) return;
        for (var name : properties.value().names()) {
            var instead = KafkaClientKeys.instead(name);
            if (instead == null) continue;
            problems.error(
                    placeOf(name, properties),
                    properties.path() + "." + name,
                    "conflicts with group_protocol: consumer, where the broker says it; leave it out, and set "
                            + instead + " of the broker or of the group");
        }
    }

    /// A misspelt topic would leave the record where it is.
    private void skips(Values kafka) {
        var skip = kafka.find(SourceKeys.SKIP);
        var topics = kafka.orNull(SourceKeys.TOPICS);
        if (skip == null || topics == null) return;
        for (var one : skip.value()) {
            if (topics.includes(one.topic())) continue;
            problems.error(
                    skip.place(),
                    skip.path(),
                    one + " is of a topic that source.kafka.topics does not read; leave it out, or correct it");
        }
    }

    /// What a login makes of itself is not said twice, nor kept from being used.
    private void login(Values kafka) {
        var properties = kafka.find(SourceKeys.PROPERTIES);
        if (properties == null || !kafka.get(SourceKeys.LOGIN).present()) return;
        for (var name : List.of("sasl.jaas.config", "sasl.mechanism")) {
            if (!properties.value().names().contains(name)) continue;
            problems.error(
                    placeOf(name, properties),
                    properties.path() + "." + name,
                    "is made of source.kafka.login; leave it out, or login");
        }
        var protocol = properties.value().reveal().get("security.protocol");
        if (protocol == null || protocol.strip().toUpperCase(Locale.ROOT).startsWith("SASL_")) return;
        problems.error(
                placeOf("security.protocol", properties),
                properties.path() + ".security.protocol",
                "has no login, and source.kafka.login is one; use SASL_SSL, or leave it out");
    }

    /// A revoke that waits for longer than the poll loop may stand costs the member its partitions.
    private void revokes(Values kafka) {
        var properties = kafka.find(SourceKeys.PROPERTIES);
        var drain = kafka.get(SourceKeys.REBALANCE).find(SourceKeys.DRAIN_TIMEOUT);
        if (properties == null || drain == null) return;
        var interval = properties.value().plain().get(MAX_POLL_INTERVAL);
        if (interval == null || !interval.strip().matches("[0-9]{1,9}")) return;
        if (Long.parseLong(interval.strip()) > drain.value().toMillis()) return;
        problems.error(
                placeOf(MAX_POLL_INTERVAL, properties),
                properties.path() + "." + MAX_POLL_INTERVAL,
                "is not above rebalance.drain_timeout %s, so a revoke that waits would lose what it waits for; raise the one or lower the other"
                        .formatted(DurationType.text(drain.value())));
    }

    private static Place placeOf(String name, Value<KafkaProperties> properties) {
        if (properties.node() instanceof ConfigNode.Mapping(var _, var entries)) {
            for (var entry : entries) if (entry.key().equals(name)) return entry.place();
        }
        return properties.place();
    }

    private void format(Values format) {
        var json = format.get(SourceKeys.JSON);
        var raw = format.get(SourceKeys.RAW);
        if (json.present() && raw.present()) {
            problems.error(raw.place(), raw.path(), "conflicts with format.json; keep one of them");
        }
    }

    private void topics(Value<Topics> read, Values.Named sink) {
        var taken = sink.values().find(SinkKeys.TOPICS);
        if (taken == null) return;
        switch (read.value()) {
            case Topics.Matching _ ->
                problems.error(
                        taken.place(),
                        taken.path(),
                        "conflicts with a topics pattern, whose later topics would go nowhere; leave it out");
            case Topics.Listed(var names) -> compare(names, read.path(), taken);
        }
    }

    private void compare(List<String> read, String path, Value<List<String>> taken) {
        for (var topic : taken.value()) {
            if (read.contains(topic)) continue;
            var near = Spelling.nearest(topic, read);
            problems.error(
                    taken.place(),
                    taken.path(),
                    topic + " is not in " + path + "; "
                            + (near == null ? "add it there" : "did you mean " + near + "?"));
        }
    }

    /// Every topic read must go somewhere, or it would be acknowledged unwritten. A sink that names none takes all; of
    /// an advisory one nobody knows whether it took a row.
    private void goesSomewhere(Value<Topics> read, List<Values.Named> sinks) {
        if (!(read.value() instanceof Topics.Listed(var names)) || sinks.isEmpty()) return;
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
                    topic + " is read but goes to no sink that is waited for; add it here, or take it out of "
                            + read.path());
        }
    }
}
