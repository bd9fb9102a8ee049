package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.fuzz.FuzzTarget;
import dev.millrace.fuzz.Json;
import dev.millrace.json.JsonCheck;
import dev.millrace.json.JsonCheck.Fault;
import dev.millrace.json.JsonString;
import dev.millrace.json.JsonText;
import dev.millrace.sinkpool.RowBuffer;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;

/// What is taken for one JSON object is one, and stays the same one as a line; what is not taken is none, or has what
/// is
/// told of it.
final class JsonCheckFuzz implements FuzzTarget {
    private final JsonCheck check = new JsonCheck();

    @Override
    public List<String> words() {
        return List.of(
                "{\"", "\":", ",", "\"", "{", "}", "[", "]", "null", "true", "false", "NaN", "1e", "0.", "-", "\\u",
                "\\ud83d", "\\ude00", "\\n", "\\", "\r\n", "é", "😀");
    }

    @Override
    public void take(byte[] input) {
        var around = new byte[input.length + 20];
        Arrays.fill(around, (byte) '}');
        System.arraycopy(input, 0, around, 7, input.length);
        var fault = check.object(around, 7, input.length);
        var reference = Json.read(input);
        if (fault == null) {
            if (reference == null) throw new AssertionError("taken, and no JSON");
            assertThat(reference.json()).isInstanceOf(Json.Members.class);
            assertThat(whole(reference.json())).as("no half of a character").isTrue();
            assertThat(depth(reference.json())).isLessThanOrEqualTo(JsonCheck.DEPTH);
            assertThat(members(around)).isEqualTo(reference.json());
            line(input, reference);
        } else {
            assertThat(check.at()).isBetween(7, 7 + input.length);
            if (reference == null) return;
            assertThat(fault).isIn(Set.of(Fault.NOT_AN_OBJECT, Fault.LONE_SURROGATE, Fault.TOO_DEEP));
            if (fault == Fault.NOT_AN_OBJECT) assertThat(reference.json()).isNotInstanceOf(Json.Members.class);
            if (fault == Fault.LONE_SURROGATE)
                assertThat(whole(reference.json())).isFalse();
            if (fault == Fault.TOO_DEEP) assertThat(depth(reference.json())).isGreaterThan(JsonCheck.DEPTH);
        }
    }

    /// As the check placed them, of two with one name the last.
    private Json members(byte[] source) {
        var members = new LinkedHashMap<String, Json>();
        var places = check.members();
        for (var i = 0; i < places.count(); i++) {
            var name = JsonString.text(source, places.name(i));
            assertThat(JsonString.end(source, places.name(i))).isEqualTo(places.nameEnd(i));
            var value = Json.read(Arrays.copyOfRange(source, places.value(i), JsonText.end(source, places.value(i))));
            if (value == null) throw new AssertionError("no value where one was placed");
            members.put(name, value.json());
        }
        return new Json.Members(members);
    }

    private static boolean whole(Json json) {
        return switch (json) {
            case Json.Text(var text) -> whole(text);
            case Json.Listed(var elements) -> elements.stream().allMatch(JsonCheckFuzz::whole);
            case Json.Members(var members) ->
                members.keySet().stream().allMatch(JsonCheckFuzz::whole)
                        && members.values().stream().allMatch(JsonCheckFuzz::whole);
            case Json.Numeral _, Json.Truth _, Json.Nothing _ -> true;
        };
    }

    private static boolean whole(String text) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    private static int depth(Json json) {
        return switch (json) {
            case Json.Listed(var elements) ->
                1 + elements.stream().mapToInt(JsonCheckFuzz::depth).max().orElse(0);
            case Json.Members(var members) ->
                1
                        + members.values().stream()
                                .mapToInt(JsonCheckFuzz::depth)
                                .max()
                                .orElse(0);
            case Json.Text _, Json.Numeral _, Json.Truth _, Json.Nothing _ -> 0;
        };
    }

    private static void line(byte[] input, Json.Found reference) {
        var line = new Line();
        PassThroughEncoder.singleLine().encode(new TestRecords("orders", 0).add(0, input), line);
        var bytes = line.bytes.toByteArray();
        assertThat(bytes[bytes.length - 1]).isEqualTo((byte) '\n');
        for (var i = 0; i < bytes.length - 1; i++) assertThat(bytes[i]).isNotIn((byte) '\n', (byte) '\r');
        var again = Json.read(bytes);
        if (again == null) throw new AssertionError("a line that is no JSON");
        assertThat(again.json()).isEqualTo(reference.json());
    }

    private static final class Line implements RowBuffer {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public void put(byte b) {
            bytes.write(b);
        }

        @Override
        public void put(byte[] source, int from, int length) {
            bytes.write(source, from, length);
        }

        @Override
        public void putAscii(String text) {
            bytes.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
        }
    }
}
