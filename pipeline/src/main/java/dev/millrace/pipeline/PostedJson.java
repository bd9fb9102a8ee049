package dev.millrace.pipeline;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;

/// What was posted, and what became of it, within the JSON of a status or a report.
final class PostedJson {
    private PostedJson() {}

    /// As the field `posted` of the object that is being written.
    static void write(JsonGenerator out, IntakeView posted) throws IOException {
        out.writeObjectFieldStart("posted");
        out.writeStringField("listens", posted.listens());
        out.writeNumberField("requests", posted.requests());
        out.writeObjectFieldStart("answers");
        for (var answer : posted.answers().entrySet())
            out.writeNumberField(Integer.toString(answer.getKey()), answer.getValue());
        out.writeEndObject();
        out.writeObjectFieldStart("refused");
        for (var by : posted.refused().entrySet())
            out.writeNumberField(by.getKey().word(), by.getValue());
        out.writeEndObject();
        out.writeNumberField("rows_admitted", posted.admitted());
        out.writeArrayFieldStart("sinks");
        for (var sink : posted.sinks().entrySet()) {
            var rows = sink.getValue();
            out.writeStartObject();
            out.writeStringField("name", sink.getKey());
            out.writeNumberField("rows_written", rows.written());
            out.writeNumberField("rows_rejected", rows.rejected());
            out.writeNumberField("rows_lost_unreachable", rows.unreachable());
            out.writeNumberField("rows_lost_shutdown", rows.shutdown());
            out.writeNumberField("rows_in_doubt", rows.inDoubt());
            out.writeNumberField("rows_held", rows.held());
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeEndObject();
    }
}
