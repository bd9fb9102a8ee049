package dev.millrace.intake;

import dev.millrace.json.JsonCheck;
import dev.millrace.sinkpool.MemberPlaces;
import dev.millrace.sinkpool.RecordView;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The lines of one body, one after the other, each as the record that an encoder sees. Empty lines are none.
///
/// Thread ownership: the request's thread.
final class BodyLines implements RecordView {
    private static final byte[] NOTHING = {};

    private final String topic;
    private final byte[] body;
    private final byte @Nullable [] key;
    private final int number;
    private final @Nullable JsonCheck check;
    private int line;
    private int from;
    private int to = -1;

    /// `number` is the request's: without a key its rows go where it says.
    BodyLines(String topic, byte[] body, byte @Nullable [] key, int number, boolean json) {
        this.topic = topic;
        this.body = body;
        this.key = key;
        this.number = number;
        this.check = json ? new JsonCheck() : null;
    }

    /// Goes on to the next that is not empty. False: there is none.
    boolean next() {
        while (to < body.length) {
            from = to + 1;
            if (from >= body.length) return false;
            line++;
            to = from;
            while (to < body.length && body[to] != '\n') to++;
            if (!blank()) return true;
        }
        return false;
    }

    private boolean blank() {
        for (var at = from; at < to; at++) if (body[at] != ' ' && body[at] != '\t' && body[at] != '\r') return false;
        return true;
    }

    /// Of the key, or of the request where it has none: by it lines keep their order.
    int keyHash() {
        return key == null ? number : Arrays.hashCode(key);
    }

    /// Counted from 1, empty ones included.
    int line() {
        return line;
    }

    /// Why it can't be a row whatever the sink, or null. At which byte of the line it is wrong stands in the words.
    @Nullable
    String fault() {
        if (check == null) return null;
        var fault = check.object(body, from, valueLength());
        return fault == null ? null : fault.reason() + " at byte " + (check.at() - from + 1);
    }

    @Override
    public String topic() {
        return topic;
    }

    @Override
    public int partition() {
        return number;
    }

    @Override
    public long offset() {
        return line;
    }

    @Override
    public long timestampMillis() {
        return -1;
    }

    @Override
    public byte[] keyArray() {
        return key == null ? NOTHING : key;
    }

    @Override
    public int keyFrom() {
        return 0;
    }

    @Override
    public int keyLength() {
        return key == null ? -1 : key.length;
    }

    @Override
    public byte[] valueArray() {
        return body;
    }

    @Override
    public int valueFrom() {
        return from;
    }

    /// Without the line's end.
    @Override
    public int valueLength() {
        var end = to;
        if (end > from && body[end - 1] == '\r') end--;
        return end - from;
    }

    @Override
    public @Nullable MemberPlaces members() {
        return check == null ? null : check.members();
    }
}
