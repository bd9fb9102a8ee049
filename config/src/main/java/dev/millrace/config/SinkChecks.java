package dev.millrace.config;

import dev.millrace.config.SinkKeys.TlsMode;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.stream.Stream;

/// What of one sink cannot work together.
record SinkChecks(Problems problems, Values root, Values.Named sink) {
    private static final int MOST_CLICKHOUSE_ROWS = 1_000_000;
    private static final Duration LEAST_POSTGRES = Duration.ofMillis(500);

    void run() {
        kind();
        var postgres = sink.values().get(SinkKeys.POSTGRES);
        if (postgres.present()) {
            raw(postgres);
            tls(postgres.get(SinkKeys.TLS));
            writeTimeout();
        }
        var clickhouse = sink.values().get(ClickHouseKeys.CLICKHOUSE);
        if (clickhouse.present()) {
            jsonAlone(clickhouse);
            login(clickhouse);
            shown(clickhouse.get(ClickHouseKeys.TLS));
            distinct(clickhouse.get(ClickHouseKeys.COORDINATES));
            read(clickhouse);
            oneBlock();
        }
        var http = sink.values().get(HttpKeys.HTTP);
        if (http.present()) {
            new HttpChecks(problems, http).run();
            shown(http.get(ClickHouseKeys.TLS));
        }
        new ShardChecks(problems, sink).run();
        batches(sink.values().get(SinkKeys.BATCH), sink.values().get(SinkKeys.CHUNK));
        if (SinkKeys.advisory(sink.values())) {
            once(sink.values().get(SinkKeys.RETRY));
            once(sink.values().get(SinkKeys.AMBIGUOUS));
        } else {
            retry(sink.values().get(SinkKeys.RETRY));
        }
        breaker(sink.values().get(BreakerKeys.BREAKER));
        ordering();
        total(sink.values().get(SinkKeys.INFLIGHT));
    }

    /// One that the shards never reach.
    private void total(Values inflight) {
        var total = inflight.find(SinkKeys.MAX_TOTAL);
        var perShard = inflight.find(SinkKeys.MAX_PER_SHARD);
        if (total == null || perShard == null || total.value() == InflightConfig.UNLIMITED) return;
        if (sink.values().refused(SinkKeys.SHARDS)) return;
        var shards = sink.values().orNull(SinkKeys.SHARDS);
        var count = shards == null ? 1 : shards.size();
        var lanes = sink.values().find(SinkKeys.LANES);
        var ordered = Boolean.TRUE.equals(sink.values().orNull(SinkKeys.ORDERING));
        var each = ordered && lanes != null ? Math.min(lanes.value(), perShard.value()) : perShard.value();
        if (total.value() < (long) count * each) return;
        problems.warn(
                total.place(),
                total.path(),
                "%d limits nothing: %s of %s %d %s no more at once; lower it, or leave it out"
                        .formatted(
                                total.value(),
                                count == 1 ? "one shard" : count + " shards",
                                each < perShard.value() ? "lanes" : "max_per_shard",
                                each,
                                count == 1 ? "writes" : "write"));
    }

    /// What is given up is read, or posted, again behind what was written after it.
    private void ordering() {
        var ordering = sink.values().find(SinkKeys.ORDERING);
        var lanes = sink.values().find(SinkKeys.LANES);
        if (ordering == null) return;
        if (!ordering.value()) {
            if (lanes != null && lanes.given())
                problems.error(
                        lanes.place(),
                        lanes.path(),
                        "has no effect with ordering none; use ordering: key, or leave it out");
            return;
        }
        if (SinkKeys.advisory(sink.values()))
            problems.error(
                    ordering.place(),
                    ordering.path(),
                    "key is not kept with advisory: true, where a batch that fails is dropped; use none");
        var attempts = sink.values().get(SinkKeys.RETRY).find(SinkKeys.MAX_ATTEMPTS);
        if (attempts != null && attempts.value() != RetryConfig.UNLIMITED)
            problems.error(
                    attempts.place(),
                    attempts.path(),
                    "a batch that is given up after %d attempts comes again behind what was written after it; use unlimited, or ordering: none"
                            .formatted(attempts.value()));
        var perShard = sink.values().get(SinkKeys.INFLIGHT).find(SinkKeys.MAX_PER_SHARD);
        if (lanes != null && perShard != null && perShard.given() && perShard.value() > lanes.value())
            problems.warn(
                    perShard.place(),
                    perShard.path(),
                    "%d is above lanes %d, each of which has one write at a time; lower it or raise lanes"
                            .formatted(perShard.value(), lanes.value()));
    }

    private void kind() {
        var values = sink.values();
        long kinds = Stream.of(
                        values.get(SinkKeys.POSTGRES).present(),
                        values.get(SinkKeys.BLACKHOLE).present(),
                        values.get(ClickHouseKeys.CLICKHOUSE).present(),
                        values.get(HttpKeys.HTTP).present())
                .filter(present -> present)
                .count();
        if (kinds == 0)
            problems.error(
                    sink.place(), values.path(), "has no kind; add postgres, clickhouse, http or blackhole below it");
        if (kinds > 1) problems.error(sink.place(), values.path(), "has more than one kind; keep one");
    }

    /// The raw column and the fields belong to one format each.
    private void raw(Values postgres) {
        boolean rawFormat = root.get(SourceKeys.FORMAT).get(SourceKeys.RAW).present();
        var column = postgres.find(SinkKeys.RAW_COLUMN);
        var unknown = postgres.find(SinkKeys.UNKNOWN_FIELDS);
        if (rawFormat && column == null) {
            problems.error(
                    postgres.place(),
                    postgres.path() + ".raw_column",
                    "is required with format raw; add it: the column that takes the value");
        }
        if (!rawFormat && column != null) {
            problems.error(column.place(), column.path(), "belongs to format raw; leave it out, or use format raw");
        }
        if (rawFormat && unknown != null && unknown.given()) {
            problems.error(unknown.place(), unknown.path(), "belongs to format json; leave it out");
        }
    }

    private void jsonAlone(Values clickhouse) {
        if (root.get(SourceKeys.FORMAT).get(SourceKeys.RAW).present())
            problems.error(
                    clickhouse.place(),
                    clickhouse.path(),
                    "takes JSON objects alone; use format json, or another sink");
    }

    /// A token is shown in the place of a user, never beside one.
    private void login(Values clickhouse) {
        var token = clickhouse.find(ClickHouseKeys.TOKEN);
        var user = clickhouse.find(ClickHouseKeys.USER);
        var password = clickhouse.find(ClickHouseKeys.PASSWORD);
        var asked = token != null || clickhouse.refused(ClickHouseKeys.TOKEN);
        if (!asked && user == null && !clickhouse.refused(ClickHouseKeys.USER))
            problems.error(clickhouse.place(), clickhouse.path() + ".user", "is required without token; add it");
        if (token != null && (user != null || password != null))
            problems.error(
                    token.place(),
                    token.path(),
                    "conflicts with " + (user == null ? "password" : "user") + "; keep the one or the other");
    }

    private void shown(Values tls) {
        var cert = tls.find(ClickHouseKeys.CERT_FILE);
        var key = tls.find(ClickHouseKeys.KEY_FILE);
        if (cert != null && key == null)
            problems.error(cert.place(), tls.path() + ".key_file", "is required with cert_file; add it");
        if (key != null && cert == null)
            problems.error(key.place(), tls.path() + ".cert_file", "is required with key_file; add it");
    }

    private void distinct(Values coordinates) {
        var taken = new HashMap<String, String>();
        for (var setting : ClickHouseKeys.COORDINATES_BY_PART.values()) {
            var column = coordinates.find(setting);
            if (column == null) continue;
            var other = taken.putIfAbsent(column.value(), setting.name());
            if (other != null)
                problems.error(
                        column.place(),
                        column.path(),
                        "the column %s takes the %s already; name another".formatted(column.value(), other));
        }
    }

    /// Typed rows are not parsed by the server: what is set for its parser would do nothing.
    private void read(Values clickhouse) {
        var format = clickhouse.find(ClickHouseKeys.FORMAT);
        var settings = clickhouse.find(ClickHouseKeys.SETTINGS);
        if (format == null || format.value() != ClickHouseConfig.Format.ROW_BINARY || settings == null) return;
        for (var name : settings.value().keySet()) {
            if (!ServerSettings.ofParsing(name)) continue;
            problems.error(
                    settings.place(),
                    settings.path() + "." + name,
                    "is for rows that the server parses; leave it out, or set format: json_each_row");
        }
    }

    /// A batch goes over its bound by a chunk at most, and must stay one block of the server's all
    /// the same.
    private void oneBlock() {
        var rows = sink.values().get(SinkKeys.BATCH).find(SinkKeys.MAX_ROWS);
        if (rows == null || rows.value() <= MOST_CLICKHOUSE_ROWS) return;
        problems.error(
                rows.place(),
                rows.path(),
                "%d is above %d, and a batch is one block of the server's; lower it"
                        .formatted(rows.value(), MOST_CLICKHOUSE_ROWS));
    }

    private void tls(Values tls) {
        var mode = tls.find(SinkKeys.TLS_MODE);
        var ca = tls.find(SinkKeys.CA_FILE);
        if (mode == null) return;
        if (mode.value() == TlsMode.VERIFY_FULL && ca == null) {
            problems.error(tls.place(), tls.path() + ".ca_file", "is required with mode verify-full; add it");
        }
        if (mode.value() == TlsMode.OFF && ca != null) {
            problems.error(ca.place(), ca.path(), "has no effect with mode off; use verify-full or leave it out");
        }
    }

    /// Half of it is the login's, which takes at least a quarter of a second.
    private void writeTimeout() {
        var timeout = sink.values().get(SinkKeys.WRITE).find(SinkKeys.WRITE_TIMEOUT);
        if (timeout == null || timeout.value().compareTo(LEAST_POSTGRES) >= 0) return;
        problems.error(
                timeout.place(),
                timeout.path(),
                "%s is below %s, which a login and a write to postgres need at least; raise it"
                        .formatted(DurationType.text(timeout.value()), DurationType.text(LEAST_POSTGRES)));
    }

    private void batches(Values batch, Values chunk) {
        var batchBytes = batch.find(SinkKeys.MAX_BYTES);
        var chunkBytes = chunk.find(SinkKeys.TARGET_BYTES);
        if (batchBytes != null && chunkBytes != null && chunkBytes.value() > batchBytes.value()) {
            var at = chunkBytes.given() ? chunkBytes : batchBytes;
            problems.error(
                    at.place(),
                    at.path(),
                    "chunk.target_bytes %s is above batch.max_bytes %s; lower the one or raise the other"
                            .formatted(SizeType.text(chunkBytes.value()), SizeType.text(batchBytes.value())));
        }
        var batchLinger = batch.find(SinkKeys.LINGER);
        var chunkLinger = chunk.find(SinkKeys.CHUNK_LINGER);
        if (batchLinger != null && chunkLinger != null && chunkLinger.value().compareTo(batchLinger.value()) > 0) {
            var at = chunkLinger.given() ? chunkLinger : batchLinger;
            problems.error(
                    at.place(),
                    at.path(),
                    "chunk.linger %s is above batch.linger %s; lower the one or raise the other"
                            .formatted(DurationType.text(chunkLinger.value()), DurationType.text(batchLinger.value())));
        }
    }

    private void once(Values ofRepeats) {
        if (ofRepeats.present())
            problems.error(
                    ofRepeats.place(),
                    ofRepeats.path(),
                    "has no effect with advisory: true, where each batch is written once; leave it out");
    }

    private void retry(Values retry) {
        var initial = retry.find(SinkKeys.RETRY_INITIAL);
        var max = retry.find(SinkKeys.RETRY_MAX);
        if (initial != null && max != null && max.value().compareTo(initial.value()) < 0) {
            var at = max.given() ? max : initial;
            problems.error(
                    at.place(),
                    at.path(),
                    "max %s is below initial %s; raise max or lower initial"
                            .formatted(DurationType.text(max.value()), DurationType.text(initial.value())));
        }
        var attempts = retry.find(SinkKeys.MAX_ATTEMPTS);
        if (attempts != null && attempts.value() != RetryConfig.UNLIMITED) {
            problems.warn(
                    attempts.place(),
                    attempts.path(),
                    "after %d attempts a batch's ranges fail and stall their partitions; use unlimited to wait an outage out"
                            .formatted(attempts.value()));
        }
    }

    private void breaker(Values breaker) {
        boolean rate = breaker.given(BreakerKeys.FAILURE_RATE);
        for (var setting : List.of(BreakerKeys.WINDOW, BreakerKeys.MIN_CALLS)) {
            var value = breaker.find(setting);
            if (value != null && value.given() && !rate) {
                problems.error(value.place(), value.path(), "belongs to failure_rate; add that, or leave this out");
            }
        }
        var failures = breaker.find(BreakerKeys.FAILURES);
        if (rate && failures != null && failures.given()) {
            problems.error(failures.place(), failures.path(), "conflicts with failure_rate; keep one of them");
        }
        var window = breaker.find(BreakerKeys.WINDOW);
        var calls = breaker.find(BreakerKeys.MIN_CALLS);
        if (rate && window != null && calls != null && calls.value() > window.value()) {
            var at = calls.given() ? calls : window;
            problems.error(
                    at.place(),
                    at.path(),
                    "min_calls %d is above window %d, so it would never open; lower the one or raise the other"
                            .formatted(calls.value(), window.value()));
        }
        times(breaker);
    }

    private void times(Values breaker) {
        var open = breaker.find(BreakerKeys.OPEN_FOR);
        var most = breaker.find(BreakerKeys.OPEN_FOR_MAX);
        if (open != null && most != null && most.value().compareTo(open.value()) < 0) {
            var at = most.given() ? most : open;
            problems.error(
                    at.place(),
                    at.path(),
                    "open_for_max %s is below open_for %s; raise open_for_max or lower open_for"
                            .formatted(DurationType.text(most.value()), DurationType.text(open.value())));
        }
        var slow = breaker.get(BreakerKeys.SLOW_CALL).find(BreakerKeys.LONGER_THAN);
        var timeout = sink.values().get(SinkKeys.WRITE).find(SinkKeys.WRITE_TIMEOUT);
        if (slow != null && timeout != null && slow.given() && slow.value().compareTo(timeout.value()) >= 0) {
            problems.warn(
                    slow.place(),
                    slow.path(),
                    "%s is not below write.timeout %s, so no call can be slow; lower it"
                            .formatted(DurationType.text(slow.value()), DurationType.text(timeout.value())));
        }
    }
}
