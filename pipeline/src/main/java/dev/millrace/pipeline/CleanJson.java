package dev.millrace.pipeline;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.JsonGeneratorDelegate;
import dev.millrace.config.Redaction;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Writes JSON as another generator does, and takes secrets out of every text that is a value. The names that the file
/// gives stay: whoever reads finds a topic by its own, though a password be the same word.
///
/// Thread ownership: one thread.
final class CleanJson extends JsonGeneratorDelegate {
    private static final Set<String> NAMES = Set.of("pipeline", "topic", "sink", "shard", "name");

    private final Redaction redaction;

    CleanJson(JsonGenerator to, Redaction redaction) {
        super(to);
        this.redaction = redaction;
    }

    @Override
    public void writeString(@Nullable String text) throws IOException {
        var field = getOutputContext().getCurrentName();
        var name = field != null && NAMES.contains(field);
        super.writeString(text == null || name ? text : redaction.of(text));
    }
}
