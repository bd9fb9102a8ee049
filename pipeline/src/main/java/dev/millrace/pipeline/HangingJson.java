package dev.millrace.pipeline;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.millrace.kafka.HangingTransaction;
import java.io.IOException;

/// A transaction that hangs, as `/status` and `/stuck` show it.
final class HangingJson {
    private static final double NANOS_PER_SECOND = 1e9;

    private HangingJson() {}

    static void write(JsonGenerator out, HangingTransaction hangs) throws IOException {
        out.writeStartObject();
        out.writeNumberField("stable_offset", hangs.stableOffset());
        out.writeNumberField("age_seconds", hangs.ageNanos() / NANOS_PER_SECOND);
        out.writeFieldName("producer_id");
        var producer = hangs.producerId();
        if (producer == null) out.writeNull();
        else out.writeNumber(producer);
        out.writeEndObject();
    }
}
