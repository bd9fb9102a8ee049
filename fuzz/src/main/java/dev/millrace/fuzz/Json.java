package dev.millrace.fuzz;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a JSON document means, by Jackson's parser of characters and a strict decoder of UTF-8: a reference that goes
/// other ways than the code that is held against it.
///
/// Of two keys in one object the last one counts; [Found#twice] tells that there were two.
public sealed interface Json {
    record Text(String text) implements Json {}

    /// As it is spelled.
    record Numeral(String text) implements Json {}

    record Truth(boolean is) implements Json {}

    record Nothing() implements Json {}

    record Listed(List<Json> elements) implements Json {
        public Listed {
            elements = List.copyOf(elements);
        }
    }

    record Members(Map<String, Json> members) implements Json {}

    /// One document. `twice`: an object in it has a key twice.
    record Found(Json json, boolean twice) {}

    /// Null for bytes that are no JSON document, or more than one.
    static @Nullable Found read(byte[] bytes) {
        try (var parser = Reading.FACTORY.createParser(Reading.strict(bytes))) {
            var reading = new Reading(parser);
            if (parser.nextToken() == null) return null;
            var json = reading.value();
            return parser.nextToken() == null ? new Found(json, reading.twice) : null;
        } catch (IOException _) {
            return null;
        }
    }

    /// One reading.
    final class Reading {
        private static final JsonFactory FACTORY = new JsonFactoryBuilder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNumberLength(Integer.MAX_VALUE)
                        .build())
                .build();

        private final JsonParser parser;
        private boolean twice;

        private Reading(JsonParser parser) {
            this.parser = parser;
        }

        private static String strict(byte[] bytes) throws CharacterCodingException {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        }

        private Json value() throws IOException {
            return switch (parser.currentToken()) {
                case START_OBJECT -> members();
                case START_ARRAY -> {
                    var elements = new ArrayList<Json>();
                    while (parser.nextToken() != JsonToken.END_ARRAY) elements.add(value());
                    yield new Listed(elements);
                }
                case VALUE_STRING -> new Text(parser.getText());
                case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new Numeral(parser.getText());
                case VALUE_TRUE -> new Truth(true);
                case VALUE_FALSE -> new Truth(false);
                case VALUE_NULL -> new Nothing();
                case END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT, NOT_AVAILABLE ->
                    throw new IllegalStateException("a value begins with " + parser.currentToken());
            };
        }

        private Json members() throws IOException {
            var members = new LinkedHashMap<String, Json>();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                var name = parser.currentName();
                parser.nextToken();
                if (members.put(name, value()) != null) twice = true;
            }
            return new Members(members);
        }
    }
}
