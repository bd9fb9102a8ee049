package dev.millrace.pipeline;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.millrace.sinkpool.ShardStatus;
import dev.millrace.sinkpool.ShardView;
import java.io.IOException;

/// The one replica that a batch waits for, as JSON; null for a batch that may go to any (WRT-11).
final class PinJson {
    private static final double NANOS_PER_SECOND = 1e9;

    private PinJson() {}

    static void write(JsonGenerator out, ShardStatus shard, ShardView.Held held, long nowNanos) throws IOException {
        var pin = held.pin();
        out.writeFieldName("pinned");
        if (pin == null) {
            out.writeNull();
            return;
        }
        out.writeStartObject();
        out.writeStringField("replica", shard.endpoints().get(pin.replica()).toString());
        out.writeNumberField("since_seconds", Math.max(0, nowNanos - pin.sinceNanos()) / NANOS_PER_SECOND);
        out.writeBooleanField("over", pin.over());
        out.writeEndObject();
    }
}
