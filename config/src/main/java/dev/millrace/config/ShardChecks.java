package dev.millrace.config;

import java.util.ArrayList;
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
        var form = Form.of(values);
        if (form != Form.BLACKHOLE) {
            if (shards == null && !values.refused(SinkKeys.SHARDS)) {
                var expected = SinkKeys.SHARDS.type().expected();
                problems.error(values.place(), values.path() + ".shards", "is required; add it: " + expected);
            }
            if (shards != null) check(shards, form);
        } else if (values.get(SinkKeys.BLACKHOLE).present() && shards != null) {
            check(shards, Form.BLACKHOLE);
        }
    }

    /// Those of all shards that can be read.
    static List<Endpoint> endpoints(Values sink) {
        var form = Form.of(sink);
        var shards = sink.orNull(SinkKeys.SHARDS);
        if (shards == null) return List.of();
        var all = new ArrayList<Endpoint>();
        for (var shard : shards) {
            for (var text : shard.endpoints()) {
                var endpoint = endpoint(text.text(), form);
                if (endpoint != null) all.add(endpoint);
            }
        }
        return all;
    }

    private void check(List<ShardsType.Shard> shards, Form form) {
        Map<String, ShardsType.EndpointText> seen = new HashMap<>();
        for (var shard : shards) {
            for (var text : shard.endpoints()) {
                var endpoint = endpoint(text.text(), form);
                if (endpoint == null) {
                    problems.error(text.place(), text.path(), notAnEndpoint(text.text(), form));
                    continue;
                }
                var first = seen.putIfAbsent(endpoint.toString().toLowerCase(Locale.ROOT), text);
                if (first != null) {
                    problems.error(
                            text.place(),
                            text.path(),
                            "is an endpoint already, at %s (%s); %s belongs to one shard, once; remove one"
                                    .formatted(first.place(), first.path(), form.what));
                }
            }
        }
    }

    private static @Nullable Endpoint endpoint(Text text, Form form) {
        return switch (form) {
            case POSTGRES -> Endpoint.Postgres.parse(text.value());
            case CLICKHOUSE -> Endpoint.Http.parse(text.value());
            case HTTP -> Endpoint.Receiver.parse(text.value());
            case BLACKHOLE -> Endpoint.Blackhole.isText(text.value()) ? new Endpoint.Blackhole(text.value()) : null;
        };
    }

    /// What is before an `@` may be a password: such an endpoint is not quoted.
    private static String notAnEndpoint(Text text, Form form) {
        if (form == Form.BLACKHOLE)
            return text + " is not an endpoint; write a name without spaces, such as blackhole:a";
        if (text.value().indexOf('@') >= 0) {
            return "holds a user or password; write " + form.example + ", and " + form.key + ".user and password apart";
        }
        if (text.value().indexOf('?') >= 0) {
            return "holds parameters, of which none are passed on; write " + form.example;
        }
        return text + " is not an endpoint; write " + form.example;
    }

    /// What an endpoint looks like, by the sink's kind.
    private enum Form {
        POSTGRES("postgres", "postgres://host:port/database", "a database"),
        CLICKHOUSE("clickhouse", "http://host:port or https://host:port", "a replica"),
        HTTP("http", "http://host:port/path or https://host:port/path", "an address"),
        BLACKHOLE("blackhole", "blackhole:a", "a name");

        private final String key;
        private final String example;
        private final String what;

        Form(String key, String example, String what) {
            this.key = key;
            this.example = example;
            this.what = what;
        }

        static Form of(Values sink) {
            if (sink.get(SinkKeys.POSTGRES).present()) return POSTGRES;
            if (sink.get(ClickHouseKeys.CLICKHOUSE).present()) return CLICKHOUSE;
            return sink.get(HttpKeys.HTTP).present() ? HTTP : BLACKHOLE;
        }
    }

    /// For a file without problems: the shards as addresses.
    static List<ShardConfig> shards(Values sink) {
        var form = Form.of(sink);
        var shards = sink.orNull(SinkKeys.SHARDS);
        if (shards == null) return List.of(new ShardConfig("s0", List.of(new Endpoint.Blackhole("blackhole:s0"))));
        return shards.stream()
                .map(shard -> new ShardConfig(
                        shard.name(),
                        shard.endpoints().stream()
                                .map(e -> read(e.text(), form))
                                .toList()))
                .toList();
    }

    private static Endpoint read(Text text, Form form) {
        var endpoint = endpoint(text, form);
        if (endpoint == null) throw new IllegalStateException("an endpoint was not checked");
        return endpoint;
    }
}
