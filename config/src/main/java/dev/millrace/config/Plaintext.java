package dev.millrace.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A connection by which a secret leaves this machine unencrypted: the section of the file that says so, what goes,
/// to whom, and what would encrypt it.
///
/// It is told from the file alone: no name is looked up, and what a broker calls itself is not known.
public record Plaintext(String path, String secret, List<String> to, String remedy) {
    private static final String TOKEN_ENDPOINT = "sasl.oauthbearer.token.endpoint.url";
    private static final String HTTP = "http://";
    private static final Pattern AUTHORITY_END = Pattern.compile("[/?#]");
    private static final String HTTPS = "use https";
    private static final int MOST_NAMED = 2;

    public Plaintext {
        to = List.copyOf(to);
        Require.atLeast("to", to.size(), 1);
    }

    /// All of a file, in its order. A file that was read has them only where it allows them.
    public static List<Plaintext> of(PipelineConfig config) {
        var all = new ArrayList<Plaintext>();
        switch (config.source()) {
            case KafkaSourceConfig kafka ->
                all.addAll(ofKafka("source.kafka", kafka.bootstrapServers(), kafka.properties()));
            case HttpSourceConfig http -> {
                if (http.tokenFile() != null) add(all, ofIntake("source.http", http.listen(), http.tls() != null));
            }
        }
        for (var sink : config.sinks()) {
            var path = "sinks." + sink.name() + ".";
            var to = sink.shards().stream()
                    .flatMap(shard -> shard.endpoints().stream())
                    .toList();
            switch (sink.kind()) {
                case PostgresConfig postgres -> {
                    if (postgres.tls() instanceof PostgresConfig.Tls.Off) add(all, ofPostgres(path + "postgres", to));
                }
                case ClickHouseConfig clickhouse -> add(all, of(path + "clickhouse", secret(clickhouse), to));
                case HttpConfig http -> add(all, of(path + "http", secret(http), to));
                case BlackholeConfig _ -> {}
            }
        }
        var otlp = config.metrics().otlp();
        var header = HeadersType.firstSecret(config.metrics().headers());
        if (otlp != null) add(all, of("metrics", header, List.of(otlp)));
        return all;
    }

    private static void add(List<Plaintext> all, @Nullable Plaintext found) {
        if (found != null) all.add(found);
    }

    private static @Nullable String secret(ClickHouseConfig clickhouse) {
        if (clickhouse.password() != null) return "password";
        return clickhouse.token() == null ? null : "token";
    }

    private static @Nullable String secret(HttpConfig http) {
        if (http.password() != null) return "password";
        return http.bearerToken() == null ? HeadersType.firstSecret(http.headers()) : "token";
    }

    /// Of the brokers, and of who gives tokens for them.
    static List<Plaintext> ofKafka(String path, List<HostPort> brokers, KafkaProperties properties) {
        var found = new ArrayList<Plaintext>();
        var all = properties.reveal();
        var protocol = all.getOrDefault("security.protocol", "").strip().toUpperCase(Locale.ROOT);
        if (protocol.equals("SASL_PLAINTEXT")) {
            var to = brokers.stream().filter(broker -> !broker.onThisMachine()).toList();
            if (!to.isEmpty()) found.add(new Plaintext(path, "login", words(to), "use security.protocol: SASL_SSL"));
        }
        var tokens = open(all.getOrDefault(TOKEN_ENDPOINT, "").strip());
        if (tokens != null)
            found.add(new Plaintext(path, "client secret", List.of(tokens), "use https in " + TOKEN_ENDPOINT));
        return found;
    }

    /// Of an intake that asks for a token. Null where nothing of the kind happens.
    static @Nullable Plaintext ofIntake(String path, HostPort listen, boolean encrypted) {
        return encrypted || listen.onThisMachine()
                ? null
                : new Plaintext(path, "token", words(List.of(listen)), "set tls");
    }

    /// Of a sink with `tls.mode: off`. Null where nothing of the kind happens.
    static @Nullable Plaintext ofPostgres(String path, List<? extends Endpoint> endpoints) {
        return of(path, "password", endpoints, "use tls.mode: verify-full");
    }

    /// Of what is spoken to by HTTP; `secret` is what it is shown, null for nothing. Null where nothing of the kind
    /// happens.
    static @Nullable Plaintext of(String path, @Nullable String secret, List<? extends Endpoint> endpoints) {
        return secret == null ? null : of(path, secret, endpoints, HTTPS);
    }

    private static @Nullable Plaintext of(
            String path, String secret, List<? extends Endpoint> endpoints, String remedy) {
        var to = new ArrayList<HostPort>();
        for (var endpoint : endpoints) {
            var open = open(endpoint);
            if (open != null) to.add(open);
        }
        return to.isEmpty() ? null : new Plaintext(path, secret, words(to), remedy);
    }

    private static List<String> words(List<HostPort> to) {
        return to.stream().map(HostPort::toString).toList();
    }

    /// Where what is sent there can be read on its way, unless something beside the address encrypts it.
    private static @Nullable HostPort open(Endpoint endpoint) {
        return switch (endpoint) {
            case Endpoint.Postgres(var address, var _) -> address.onThisMachine() ? null : address;
            case Endpoint.Http(var encrypted, var address) -> encrypted || address.onThisMachine() ? null : address;
            case Endpoint.Receiver(var encrypted, var address, var _) ->
                encrypted || address.onThisMachine() ? null : address;
            case Endpoint.Blackhole _ -> null;
        };
    }

    // Read by hand: URI knows no host with an underscore in it, which the client resolves all the same.
    private static @Nullable String open(String url) {
        if (!url.toLowerCase(Locale.ROOT).startsWith(HTTP)) return null;
        var authority = AUTHORITY_END.split(url.substring(HTTP.length()), 2)[0];
        var address = authority.substring(authority.lastIndexOf('@') + 1);
        var known = HostPort.parse(address);
        if (known == null) known = HostPort.parse(address + ":80");
        if (known == null) return address.isEmpty() ? HTTP : address;
        return known.onThisMachine() ? null : known.toString();
    }

    /// To whom, at most two by name.
    public String receivers() {
        var named = to.stream().limit(MOST_NAMED).toList();
        var more = to.size() - named.size();
        return String.join(more > 0 ? ", " : " and ", named) + (more > 0 ? " and " + more + " more" : "");
    }
}
