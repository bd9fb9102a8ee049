package dev.millrace.config;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Turns a sink's shards into addresses, each of which stands for one place only.
record ShardChecks(Problems problems, Values.Named sink) {

    void run() {
        var values = sink.values();
        var shards = values.orNull(SinkKeys.SHARDS);
        if (values.get(SinkKeys.POSTGRES).present()) {
            if (shards == null && !values.refused(SinkKeys.SHARDS)) {
                var expected = SinkKeys.SHARDS.type().expected();
                problems.error(values.place(), values.path() + ".shards", "is required; add it: " + expected);
            }
            if (shards != null) check(shards, true);
        } else if (values.get(SinkKeys.BLACKHOLE).present() && shards != null) {
            check(shards, false);
        }
    }

    private void check(List<ShardsType.Shard> shards, boolean postgres) {
        Map<String, ShardsType.EndpointText> seen = new HashMap<>();
        for (var shard : shards) {
            for (var text : shard.endpoints()) {
                var endpoint = endpoint(text.text(), postgres);
                if (endpoint == null) {
                    problems.error(text.place(), text.path(), notAnEndpoint(text.text(), postgres));
                    continue;
                }
                var first = seen.putIfAbsent(endpoint.toString().toLowerCase(Locale.ROOT), text);
                if (first != null) {
                    problems.error(
                            text.place(),
                            text.path(),
                            "is an endpoint already, at %s (%s); a database belongs to one shard, once; remove one"
                                    .formatted(first.place(), first.path()));
                }
            }
        }
    }

    private static @Nullable Endpoint endpoint(Text text, boolean postgres) {
        if (postgres) return Endpoint.Postgres.parse(text.value());
        return Endpoint.Blackhole.isText(text.value()) ? new Endpoint.Blackhole(text.value()) : null;
    }

    /// What is before an `@` may be a password: such an endpoint is not quoted.
    private static String notAnEndpoint(Text text, boolean postgres) {
        if (!postgres) return text + " is not an endpoint; write a name without spaces, such as blackhole:a";
        if (text.value().indexOf('@') >= 0) {
            return "holds a user or password; write postgres://host:port/database, and postgres.user and password apart";
        }
        if (text.value().indexOf('?') >= 0) {
            return "holds parameters, of which none are passed on; write postgres://host:port/database";
        }
        return text + " is not an endpoint; write postgres://host:port/database";
    }

    /// For a file without problems: the shards as addresses.
    static List<ShardConfig> shards(Values sink) {
        boolean postgres = sink.get(SinkKeys.POSTGRES).present();
        var shards = sink.orNull(SinkKeys.SHARDS);
        if (shards == null) return List.of(new ShardConfig("s0", List.of(new Endpoint.Blackhole("blackhole:s0"))));
        return shards.stream()
                .map(shard -> new ShardConfig(
                        shard.name(),
                        shard.endpoints().stream()
                                .map(e -> read(e.text(), postgres))
                                .toList()))
                .toList();
    }

    private static Endpoint read(Text text, boolean postgres) {
        var endpoint = endpoint(text, postgres);
        if (endpoint == null) throw new IllegalStateException("an endpoint was not checked");
        return endpoint;
    }
}
