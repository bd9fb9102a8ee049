package dev.millrace.kafka;

/// The product's check that a value is one JSON object, for a bench.
///
/// Thread ownership: one caller.
public final class CheckedValue {
    private final JsonCheck check = new JsonCheck();

    public boolean isSound(byte[] value) {
        return check.object(value, 0, value.length) == null;
    }
}
