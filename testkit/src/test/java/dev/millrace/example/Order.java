package dev.millrace.example;

import dev.millrace.sinkpool.RecordView;
import java.nio.charset.StandardCharsets;

// [order]
/// One row of ours as the pool sees it: a value and its number. It has no key and no headers.
final class Order implements RecordView {
    private final long number;
    private final byte[] json;

    Order(long number, String json) {
        this.number = number;
        this.json = json.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String topic() {
        return "orders";
    }

    @Override
    public int partition() {
        return 0;
    }

    @Override
    public long offset() {
        return number;
    }

    @Override
    public long timestampMillis() {
        return 0;
    }

    @Override
    public byte[] keyArray() {
        return json;
    }

    @Override
    public int keyFrom() {
        return 0;
    }

    @Override
    public int keyLength() {
        return -1; // null
    }

    @Override
    public byte[] valueArray() {
        return json;
    }

    @Override
    public int valueFrom() {
        return 0;
    }

    @Override
    public int valueLength() {
        return json.length;
    }
}
// [/order]
