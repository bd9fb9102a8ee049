package dev.millrace.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Refuses a secret that would leave the machine unencrypted, unless its section allows that.
record PlaintextChecks(Problems problems, Values root) {
    /// The same in every section that may send a secret.
    static final Key.Setting<Boolean> ALLOW = Key.Setting.of(
                    "allow_plaintext",
                    new FlagType(),
                    "lets a secret go to another machine over a connection that is not encrypted")
            .byDefault("false");

    void run() {
        var kafka = root.get(SourceKeys.SOURCE).get(SourceKeys.KAFKA);
        var brokers = kafka.orNull(SourceKeys.BOOTSTRAP_SERVERS);
        var properties = kafka.orNull(SourceKeys.PROPERTIES);
        if (brokers != null && properties != null)
            for (var found : Plaintext.ofKafka(kafka.path(), brokers, properties)) refuse(kafka, found);
        var intake = root.get(SourceKeys.SOURCE).get(IntakeKeys.HTTP);
        var listen = intake.orNull(IntakeKeys.LISTEN);
        if (intake.present() && listen != null && intake.find(IntakeKeys.TOKEN_FILE) != null)
            refuse(
                    intake,
                    Plaintext.ofIntake(
                            intake.path(), listen, intake.get(IntakeKeys.TLS).present()));
        for (var sink : root.get(SinkKeys.SINKS)) sink(sink.values());
        var metrics = root.get(PipelineKeys.METRICS);
        var otlp = metrics.orNull(PipelineKeys.OTLP);
        var headers = metrics.orNull(PipelineKeys.OTLP_HEADERS);
        if (otlp != null && headers != null)
            refuse(metrics, Plaintext.of(metrics.path(), HeadersType.firstSecret(headers), List.of(otlp)));
    }

    private void sink(Values sink) {
        var to = ShardChecks.endpoints(sink);
        var postgres = sink.get(SinkKeys.POSTGRES);
        if (postgres.present() && postgres.get(SinkKeys.TLS).orNull(SinkKeys.TLS_MODE) == SinkKeys.TlsMode.OFF)
            refuse(postgres, Plaintext.ofPostgres(postgres.path(), to));
        var clickhouse = sink.get(ClickHouseKeys.CLICKHOUSE);
        if (clickhouse.present())
            refuse(
                    clickhouse,
                    Plaintext.of(
                            clickhouse.path(), shown(clickhouse, ClickHouseKeys.PASSWORD, ClickHouseKeys.TOKEN), to));
        var http = sink.get(HttpKeys.HTTP);
        if (!http.present()) return;
        var login = shown(http, HttpKeys.PASSWORD, HttpKeys.BEARER_TOKEN);
        var headers = http.orNull(HttpKeys.HEADERS);
        var header = headers == null ? null : HeadersType.firstSecret(headers);
        refuse(http, Plaintext.of(http.path(), login == null ? header : login, to));
    }

    private static @Nullable String shown(Values of, Key.Setting<Secret> password, Key.Setting<Secret> token) {
        if (of.find(password) != null) return "password";
        return of.find(token) == null ? null : "token";
    }

    private void refuse(Values section, @Nullable Plaintext found) {
        if (found == null || Boolean.TRUE.equals(section.orNull(SourceKeys.ALLOW_PLAINTEXT))) return;
        problems.error(
                section.place(),
                section.path(),
                "the %s would go to %s in clear; %s, or set allow_plaintext: true here where nobody else can listen"
                        .formatted(found.secret(), found.receivers(), found.remedy()));
    }
}
