package dev.millrace.lab;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How a single-node broker is started: where its data is, its port, and which broker properties differ from
/// the lab's small ones.
///
/// The lab's own: replication factor 1 everywhere, few partitions of the internal topics, no topic made by
/// merely asking for it, no delay before a group's first rebalance, a log cleaner of 2 MiB. Any of them may be
/// given another value by [#with(String, String)].
///
/// @param directory of the data, kept when the broker closes; null for a temporary one, which is deleted then
/// @param port where clients connect, 0 for any free one
/// @param properties broker properties laid over the lab's own
public record BrokerSettings(@Nullable Path directory, int port, Map<String, String> properties) {
    public BrokerSettings {
        if (port < 0 || port > 65_535)
            throw new IllegalArgumentException("port " + port + " is not between 0 and 65535");
        properties = Map.copyOf(properties);
    }

    /// A temporary directory, any port, the lab's own properties.
    public static BrokerSettings small() {
        return new BrokerSettings(null, 0, Map.of());
    }

    public BrokerSettings in(Path newDirectory) {
        return new BrokerSettings(newDirectory, port, properties);
    }

    public BrokerSettings onPort(int newPort) {
        return new BrokerSettings(directory, newPort, properties);
    }

    /// One broker property, such as `group.min.session.timeout.ms`.
    public BrokerSettings with(String name, String value) {
        var more = new LinkedHashMap<>(properties);
        more.put(name, value);
        return new BrokerSettings(directory, port, more);
    }
}
