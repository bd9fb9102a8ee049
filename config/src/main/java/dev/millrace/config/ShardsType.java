package dev.millrace.config;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Shards by name, each with a list of endpoints. What an endpoint is depends on the sink's kind, so they stay text
/// here.
record ShardsType() implements ValueType<List<ShardsType.Shard>> {

    /// A shard as the file has it.
    record Shard(String name, Place place, String path, List<EndpointText> endpoints) {}

    record EndpointText(Text text, Place place, String path) {}

    @Override
    public @Nullable List<Shard> read(ConfigNode node, String path, boolean secret, Reading reading) {
        if (!(node instanceof ConfigNode.Mapping mapping)) {
            reading.wrongKind(node, path, expected());
            return null;
        }
        if (mapping.entries().isEmpty()) {
            reading.problems().error(mapping.place(), path, "has no shard; write " + expected());
            return null;
        }
        var shards = new ArrayList<Shard>();
        for (var entry : mapping.entries()) {
            var name = Text.printable(entry.key(), 63);
            var shardPath = path + "." + name;
            if (!Names.isName(entry.key())) {
                reading.problems().error(entry.place(), shardPath, "is not a shard's name; write " + Names.NAME_RULE);
            }
            shards.add(new Shard(name, entry.place(), shardPath, endpoints(entry.value(), shardPath, secret, reading)));
        }
        return shards;
    }

    private static List<EndpointText> endpoints(ConfigNode node, String path, boolean secret, Reading reading) {
        var endpoints = new ArrayList<EndpointText>();
        var expected = "a list of endpoints, such as [postgres://db-a:5432/shop]";
        if (!(node instanceof ConfigNode.Sequence list)) {
            reading.wrongKind(node, path, expected);
            return endpoints;
        }
        if (list.items().isEmpty()) {
            reading.problems().error(list.place(), path, "has no endpoint; write " + expected);
        }
        for (int i = 0; i < list.items().size(); i++) {
            var item = list.items().get(i);
            var itemPath = path + "[" + i + "]";
            var text = reading.text(item, itemPath, secret, "an endpoint");
            if (text != null) endpoints.add(new EndpointText(text, item.place(), itemPath));
        }
        return endpoints;
    }

    @Override
    public String expected() {
        return "shards by name, such as { s0: [postgres://db-a:5432/shop] }";
    }
}
