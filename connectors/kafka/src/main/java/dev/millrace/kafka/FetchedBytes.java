package dev.millrace.kafka;

import java.nio.ByteBuffer;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/// A deserializer that copies nothing: the value is the slice of the fetch response that holds it. Only the overload
/// with a buffer saves the copy; the other is there for callers that have an array already.
final class FetchedBytes implements Deserializer<ByteBuffer> {
    @Override
    @SuppressWarnings("NullAway") // Kafka's interface is not annotated; a null value stays null.
    public @Nullable ByteBuffer deserialize(String topic, byte @Nullable [] data) {
        return data == null ? null : ByteBuffer.wrap(data);
    }

    @Override
    @SuppressWarnings("NullAway")
    public @Nullable ByteBuffer deserialize(String topic, Headers headers, @Nullable ByteBuffer data) {
        return data;
    }
}
