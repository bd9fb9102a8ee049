package dev.millrace.pipeline;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.JsonGeneratorDelegate;
import dev.millrace.config.Redaction;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Writes JSON as another generator does, and takes secrets out of every text that is a value. Names are ours.
///
/// Thread ownership: one thread.
final class CleanJson extends JsonGeneratorDelegate {
    private final Redaction redaction;

    CleanJson(JsonGenerator to, Redaction redaction) {
        super(to);
        this.redaction = redaction;
    }

    @Override
    public void writeString(@Nullable String text) throws IOException {
        super.writeString(text == null ? null : redaction.of(text));
    }
}
