package dev.millrace.config;

import dev.millrace.config.Key.Section;
import dev.millrace.config.Key.Setting;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What cannot work together with an intake: what takes a log that is read again, and what lets anybody post.
record IntakeChecks(Problems problems, Values root, Values http) {
    private static final int LEAST_ROWS = 1000;

    void run() {
        token();
        delivery();
        poison();
        ofALog();
        rows();
        for (var sink : root.get(SinkKeys.SINKS)) sink(sink.values());
    }

    private void token() {
        var listen = http.find(IntakeKeys.LISTEN);
        if (listen == null || listen.value().onThisMachine()) return;
        if (http.find(IntakeKeys.TOKEN_FILE) != null || http.refused(IntakeKeys.TOKEN_FILE)) return;
        problems.error(
                listen.place(),
                listen.path(),
                "is reached from other machines, and nobody is asked for a token; set source.http.token_file, or listen on 127.0.0.1");
    }

    private void delivery() {
        var delivery = root.find(PipelineKeys.DELIVERY);
        if (delivery == null || delivery.value() == Delivery.AT_LEAST_ONCE) return;
        problems.error(
                delivery.place(),
                delivery.path(),
                "effectively_once takes a log that is read again, and source.http has none; set delivery: at_least_once");
    }

    private void poison() {
        var action = root.get(PipelineKeys.POISON).find(PipelineKeys.ACTION);
        if (action == null || action.value() != PoisonConfig.Action.DEAD_LETTER) return;
        problems.error(
                action.place(),
                action.path(),
                "dead_letter takes a topic of Kafka, and source.http has none; set poison.action: skip, which counts the row and tells who waits for it, or stop");
    }

    /// These say what becomes of offsets and of plans, and nothing here has any.
    private void ofALog() {
        section(root, PipelineKeys.CHECKPOINT);
        setting(root, PipelineKeys.TOKEN_EPOCH);
        setting(root, PipelineKeys.ON_CONFIG_CHANGE);
        setting(root, PipelineKeys.ON_EXPIRED_TOKEN);
        setting(root.get(PipelineKeys.ADMISSION), PipelineKeys.RESUME_BELOW);
        var format = root.get(SourceKeys.FORMAT);
        setting(format.get(SourceKeys.JSON), SourceKeys.JSON_TOMBSTONE);
        setting(format.get(SourceKeys.RAW), SourceKeys.RAW_TOMBSTONE);
    }

    private void section(Values of, Section section) {
        var values = of.get(section);
        if (values.present()) onlyKafka(values.place(), values.path());
    }

    private <T> void setting(Values of, Setting<T> setting) {
        var value = of.find(setting);
        if (value != null && value.given()) onlyKafka(value.place(), value.path());
    }

    private void onlyKafka(Place place, String path) {
        problems.error(place, path, "is only for source.kafka: an intake has no log, and no offsets; leave it out");
    }

    private void rows() {
        var rows = root.get(PipelineKeys.ADMISSION).find(PipelineKeys.BUDGET_ROWS);
        var least = LEAST_ROWS * Math.max(1, root.get(SinkKeys.SINKS).size());
        if (rows == null || rows.value() >= least) return;
        problems.error(
                rows.place(),
                rows.path(),
                "%d is below %d, %d for each sink, and a request is admitted whole or not at all; raise it"
                        .formatted(rows.value(), least, LEAST_ROWS));
    }

    private void sink(Values sink) {
        var advisory = sink.find(SinkKeys.ADVISORY);
        if (advisory != null && advisory.value())
            problems.error(
                    advisory.place(),
                    advisory.path(),
                    "is only for source.kafka; leave it out, or run another pipeline for this sink");
        var coordinates = sink.get(ClickHouseKeys.CLICKHOUSE).get(ClickHouseKeys.COORDINATES);
        if (coordinates.present()) onlyKafka(coordinates.place(), coordinates.path());
        ordering(sink);
        linger(sink);
    }

    /// A body has no partition: each goes to the next shard, whatever its key.
    private void ordering(Values sink) {
        var ordered = sink.find(SinkKeys.ORDERING);
        var route = root.get(SourceKeys.ROUTE).find(SourceKeys.ROUTE_KEY);
        if (ordered == null || !ordered.value()) return;
        if (route != null && route.value() == RouteConfig.Key.PARTITION)
            problems.error(
                    ordered.place(),
                    ordered.path(),
                    "key takes shards that are chosen by the key, and with route.key: partition bodies go to them in turn; use route.key: kafka_key, or ordering: none");
    }

    /// Whoever waits would be told each time that it took too long.
    private void linger(Values sink) {
        var linger = sink.get(SinkKeys.BATCH).find(SinkKeys.LINGER);
        var wait = http.find(IntakeKeys.WAIT_TIMEOUT);
        if (linger == null || wait == null || linger.value().compareTo(wait.value()) < 0) return;
        var at = linger.given() ? linger : wait;
        problems.error(
                at.place(),
                at.path(),
                "batch.linger %s is not below source.http.wait_timeout %s, so a request that waits would never see its rows written; lower the one or raise the other"
                        .formatted(DurationType.text(linger.value()), DurationType.text(wait.value())));
    }

    /// The topics of whichever source there is; null where they had a problem.
    static @Nullable Value<Topics> topics(Values root) {
        var source = root.get(SourceKeys.SOURCE);
        var http = source.get(IntakeKeys.HTTP);
        if (!http.present()) return source.get(SourceKeys.KAFKA).find(SourceKeys.TOPICS);
        var named = http.find(IntakeKeys.TOPICS);
        if (named == null) return null;
        List<String> distinct = named.value().stream().distinct().toList();
        return new Value<>(new Topics.Listed(distinct), named.place(), named.path(), named.node());
    }
}
