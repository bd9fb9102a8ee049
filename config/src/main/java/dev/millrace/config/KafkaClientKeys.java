package dev.millrace.config;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Which kafka-clients consumer settings a file may pass on, and why others may not.
///
/// An allow-list, since a client runs what some settings name. Names are those of kafka-clients 4.4. The one list of
/// its kind: who makes the clients asks here too.
public final class KafkaClientKeys {
    private static final String OFFSETS_ARE_OURS =
            "Millrace commits, and only what is durable in the sink; leave it out";
    private static final String NO_CODE = "it would run foreign code in the path of every record; leave it out";
    private static final String OLD = "it is a setting of the consumer before Kafka 0.9; ";

    /// Why, and what to do instead.
    private static final Map<String, String> REFUSED = Map.ofEntries(
            Map.entry("bootstrap.servers", "it has a setting of its own; use source.kafka.bootstrap_servers"),
            Map.entry("group.id", "it has a setting of its own; use source.kafka.group_id"),
            Map.entry("enable.auto.commit", OFFSETS_ARE_OURS),
            Map.entry("auto.commit.interval.ms", OFFSETS_ARE_OURS + ", or use checkpoint.interval"),
            Map.entry(
                    "auto.offset.reset", "a silent jump loses rows; use source.kafka.on_no_offset and on_lost_offset"),
            Map.entry("isolation.level", "rows of aborted transactions must not reach the sink; leave it out"),
            Map.entry("key.deserializer", "keys and values are read as bytes; use format"),
            Map.entry("value.deserializer", "keys and values are read as bytes; use format"),
            Map.entry("interceptor.classes", NO_CODE),
            Map.entry("config.providers", "values are filled in by ${VAR} and ${file:/path}; use these"),
            Map.entry("group.protocol", "it has a setting of its own; use source.kafka.group_protocol"),
            Map.entry("group.remote.assignor", "the assignor goes with the group's protocol; leave it out"),
            Map.entry("partition.assignment.strategy", "the assignor goes with the group's protocol; leave it out"),
            Map.entry("allow.auto.create.topics", "a misspelt topic must be an error, not a new topic; leave it out"),
            Map.entry("metric.reporters", NO_CODE + "; metrics are at admin.listen"),
            Map.entry("enable.metrics.push", "metrics are at admin.listen; leave it out"),
            Map.entry("exclude.internal.topics", "internal topics are never read by a pattern; leave it out"),
            Map.entry("ssl.engine.factory.class", NO_CODE),
            Map.entry("security.providers", NO_CODE),
            Map.entry("ssl.provider", "TLS is the JDK's own; leave it out"),
            Map.entry("sasl.client.callback.handler.class", NO_CODE),
            Map.entry("sasl.login.class", NO_CODE),
            Map.entry("sasl.kerberos.kinit.cmd", "it is a program that the client would start; leave it out"),
            Map.entry("share.acknowledgement.mode", "share groups commit no offsets; leave it out"),
            Map.entry("share.acquire.mode", "share groups commit no offsets; leave it out"),
            Map.entry("metadata.broker.list", OLD + "use source.kafka.bootstrap_servers"),
            Map.entry("zookeeper.connect", OLD + "use source.kafka.bootstrap_servers"),
            Map.entry("auto.commit.enable", OLD + "leave it out, Millrace commits"),
            Map.entry("autocommit.enable", OLD + "leave it out, Millrace commits"),
            Map.entry("offsets.storage", OLD + "leave it out"),
            Map.entry("dual.commit.enabled", OLD + "leave it out"),
            Map.entry("consumer.id", OLD + "use client.id or group.instance.id"),
            Map.entry("consumer.timeout.ms", OLD + "leave it out"),
            Map.entry("fetch.message.max.bytes", OLD + "use max.partition.fetch.bytes"),
            Map.entry("fetch.wait.max.ms", OLD + "use fetch.max.wait.ms"),
            Map.entry("socket.receive.buffer.bytes", OLD + "use receive.buffer.bytes"),
            Map.entry("socket.timeout.ms", OLD + "use request.timeout.ms"),
            Map.entry("zookeeper.session.timeout.ms", OLD + "use session.timeout.ms"));

    private static final String OAUTH = "org.apache.kafka.common.security.oauthbearer.";

    /// Settings that name a class, with those that may stand there: the client's own.
    private static final Map<String, Set<String>> CLASSES = Map.of(
            "sasl.login.callback.handler.class", Set.of(OAUTH + "OAuthBearerLoginCallbackHandler"),
            "sasl.oauthbearer.jwt.retriever.class",
                    Set.of(
                            OAUTH + "ClientCredentialsJwtRetriever",
                            OAUTH + "DefaultJwtRetriever",
                            OAUTH + "FileJwtRetriever",
                            OAUTH + "JwtBearerJwtRetriever"),
            "sasl.oauthbearer.jwt.validator.class",
                    Set.of(OAUTH + "BrokerJwtValidator", OAUTH + "ClientJwtValidator", OAUTH + "DefaultJwtValidator"));

    /// Versions of TLS, and the name for whichever is the newest.
    private static final Set<String> TLS = Set.of("TLSV1.2", "TLSV1.3", "TLS");

    private static final Set<String> ALLOWED = Set.of(
            "bootstrap.resolve.timeout.ms",
            "check.crcs",
            "client.dns.lookup",
            "client.id",
            "client.rack",
            "connections.max.idle.ms",
            "default.api.timeout.ms",
            "fetch.max.bytes",
            "fetch.max.wait.ms",
            "fetch.min.bytes",
            "group.instance.id",
            "heartbeat.interval.ms",
            "max.partition.fetch.bytes",
            "max.poll.interval.ms",
            "max.poll.records",
            "metadata.cluster.check.enable",
            "metadata.max.age.ms",
            "metadata.recovery.rebootstrap.trigger.ms",
            "metadata.recovery.strategy",
            "metrics.num.samples",
            "metrics.recording.level",
            "metrics.sample.window.ms",
            "receive.buffer.bytes",
            "reconnect.backoff.max.ms",
            "reconnect.backoff.ms",
            "request.timeout.ms",
            "retry.backoff.max.ms",
            "retry.backoff.ms",
            "sasl.jaas.config",
            "sasl.kerberos.min.time.before.relogin",
            "sasl.kerberos.service.name",
            "sasl.kerberos.ticket.renew.jitter",
            "sasl.kerberos.ticket.renew.window.factor",
            "sasl.login.callback.handler.class",
            "sasl.login.connect.timeout.ms",
            "sasl.login.read.timeout.ms",
            "sasl.login.refresh.buffer.seconds",
            "sasl.login.refresh.min.period.seconds",
            "sasl.login.refresh.window.factor",
            "sasl.login.refresh.window.jitter",
            "sasl.login.retry.backoff.max.ms",
            "sasl.login.retry.backoff.ms",
            "sasl.mechanism",
            "sasl.oauthbearer.allow.unverified.audience",
            "sasl.oauthbearer.allow.unverified.issuer",
            "sasl.oauthbearer.assertion.algorithm",
            "sasl.oauthbearer.assertion.claim.aud",
            "sasl.oauthbearer.assertion.claim.exp.seconds",
            "sasl.oauthbearer.assertion.claim.iss",
            "sasl.oauthbearer.assertion.claim.jti.include",
            "sasl.oauthbearer.assertion.claim.nbf.seconds",
            "sasl.oauthbearer.assertion.claim.sub",
            "sasl.oauthbearer.assertion.file",
            "sasl.oauthbearer.assertion.private.key.file",
            "sasl.oauthbearer.assertion.private.key.passphrase",
            "sasl.oauthbearer.assertion.template.file",
            "sasl.oauthbearer.client.credentials.client.id",
            "sasl.oauthbearer.client.credentials.client.secret",
            "sasl.oauthbearer.clock.skew.seconds",
            "sasl.oauthbearer.expected.audience",
            "sasl.oauthbearer.expected.issuer",
            "sasl.oauthbearer.header.urlencode",
            "sasl.oauthbearer.jwks.endpoint.refresh.ms",
            "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms",
            "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms",
            "sasl.oauthbearer.jwks.endpoint.url",
            "sasl.oauthbearer.jwt.retriever.class",
            "sasl.oauthbearer.jwt.validator.class",
            "sasl.oauthbearer.scope",
            "sasl.oauthbearer.scope.claim.name",
            "sasl.oauthbearer.sub.claim.name",
            "sasl.oauthbearer.token.endpoint.url",
            "security.protocol",
            "send.buffer.bytes",
            "session.timeout.ms",
            "socket.connection.setup.timeout.max.ms",
            "socket.connection.setup.timeout.ms",
            "ssl.cipher.suites",
            "ssl.enabled.protocols",
            "ssl.endpoint.identification.algorithm",
            "ssl.key.password",
            "ssl.keymanager.algorithm",
            "ssl.keystore.certificate.chain",
            "ssl.keystore.key",
            "ssl.keystore.location",
            "ssl.keystore.password",
            "ssl.keystore.type",
            "ssl.protocol",
            "ssl.secure.random.implementation",
            "ssl.trustmanager.algorithm",
            "ssl.truststore.certificates",
            "ssl.truststore.location",
            "ssl.truststore.password",
            "ssl.truststore.type");

    /// What members of a classic group set, and what stands for it in a group of the consumer protocol.
    private static final Map<String, String> CLASSIC_ONLY = Map.of(
            "session.timeout.ms", "group.consumer.session.timeout.ms",
            "heartbeat.interval.ms", "group.consumer.heartbeat.interval.ms");

    private KafkaClientKeys() {}

    /// Where a setting of classic members is set for the consumer protocol; null for one of both.
    static @Nullable String instead(String key) {
        return CLASSIC_ONLY.get(key);
    }

    /// What may be passed on, sorted.
    public static SortedSet<String> allowed() {
        return new TreeSet<>(ALLOWED);
    }

    /// Why this key may not be passed on and what to do; null when it may.
    public static @Nullable String refusal(String key) {
        if (ALLOWED.contains(key)) return null;
        var reason = REFUSED.get(key);
        if (reason == null && key.startsWith("config.providers")) reason = REFUSED.get("config.providers");
        if (reason != null) return "may not be set: " + reason;
        var known = new TreeSet<>(ALLOWED);
        known.addAll(REFUSED.keySet());
        var near = Spelling.nearest(key, known);
        return "is no consumer setting that is passed on; "
                + (near == null ? "remove it" : "did you mean " + near + "?");
    }

    static boolean isSecret(String key) {
        return key.endsWith("password")
                || key.endsWith("secret")
                || key.endsWith("passphrase")
                || key.equals("sasl.jaas.config")
                || key.equals("ssl.keystore.key");
    }

    /// What is wrong with a value that would run foreign code or weaken the process itself; null when nothing is.
    public static @Nullable String refusedValue(String key, String value) {
        if (key.equals("sasl.jaas.config")) return LoginModuleLine.refusal(value);
        var classes = CLASSES.get(key);
        if (classes != null && !classes.contains(value.strip()))
            return "names a class that is none of the client's own for it, and would run its code; use "
                    + String.join(" or ", new TreeSet<>(classes)) + ", or leave it out";
        if ((key.equals("ssl.enabled.protocols") || key.equals("ssl.protocol")) && olderTls(value))
            return "names a version of TLS before 1.2, or none; use TLSv1.2 and TLSv1.3, or leave it out";
        return null;
    }

    private static boolean olderTls(String versions) {
        return Arrays.stream(versions.toUpperCase(Locale.ROOT).split(",", -1))
                .anyMatch(version -> !TLS.contains(version.strip()));
    }
}
