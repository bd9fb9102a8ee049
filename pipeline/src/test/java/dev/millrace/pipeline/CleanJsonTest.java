package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import dev.millrace.config.Redaction;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("CFG-5")
final class CleanJsonTest {
    @Test
    @DisplayName("CFG-5: a name that the file gives stays what it is, though a password be the same word")
    void namesOfOurOwnAreLeftAlone() throws Exception {
        var text = new StringWriter();
        try (var out = new CleanJson(new JsonFactory().createGenerator(text), new Redaction(List.of("orders")))) {
            out.writeStartObject();
            out.writeStringField("topic", "orders");
            out.writeStringField("message", "orders is wrong");
            out.writeArrayFieldStart("reasons");
            out.writeString("orders");
            out.writeEndArray();
            out.writeEndObject();
        }
        assertThat(text).hasToString("""
                {"topic":"orders","message":"*** is wrong","reasons":["***"]}""");
    }
}
