package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.clickhouse.Coordinates.Part;
import dev.millrace.fuzz.FuzzTarget;
import dev.millrace.fuzz.Json;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// Any bytes that are a JSON object become one with the record's coordinates before its members, or are poison since
/// they have such a member themselves. Of anything else nothing is promised but that it throws nothing.
final class CoordinateFuzz implements FuzzTarget {
    private static final Map<Part, String> NAMES = Map.of(Part.TOPIC, "_topic", Part.OFFSET, "_o", Part.KEY, "k");

    private final CoordinateEncoder encoder =
            new CoordinateEncoder(new Coordinates(new TreeMap<>(NAMES)), Lines.VERBATIM);

    @Override
    public List<String> words() {
        return List.of(
                "{\"", "\":", ",", "\"", "{", "}", "[", "]", "\\u005f", "_topic", "_o", "\"k\":1", "\\\\", "\\u");
    }

    @Override
    public void take(byte[] input) {
        var row = new FuzzedRow(encoder, input);
        var reference = Json.read(input);
        var object = reference != null && reference.json() instanceof Json.Members(var members) ? members : null;
        switch (row.said()) {
            case Encoded.Written() -> {
                if (object == null) return;
                var made = Json.read(row.bytes());
                if (made == null) throw new AssertionError("a row that is no JSON");
                var expected = new LinkedHashMap<String, Json>();
                expected.put("_topic", new Json.Text("orders"));
                expected.put("_o", new Json.Numeral("1"));
                expected.put("k", new Json.Nothing());
                expected.putAll(object);
                assertThat(made.json()).isEqualTo(new Json.Members(expected));
                assertThat(object).doesNotContainKeys("_topic", "_o", "k");
            }
            case Encoded.Poison(var reason, var _) -> {
                assertThat(Set.of("not_an_object", "duplicate_key")).contains(reason);
                if (object == null) return;
                assertThat(reason).isEqualTo("duplicate_key");
                assertThat(object.keySet()).containsAnyOf("_topic", "_o", "k");
            }
            case Encoded.Skipped(var reason) -> throw new AssertionError("skipped: " + reason);
        }
    }
}
