package dev.millrace.sinkpool;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// What rows hold, copied out, so that it can be compared later.
final class Bytes {
    private Bytes() {}

    static byte[] of(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    static byte[] row(EncodedChunk chunk, int row) {
        return Arrays.copyOfRange(chunk.array(), chunk.start(row), chunk.end(row));
    }

    static List<String> rows(EncodedChunk chunk) {
        var out = new ArrayList<String>();
        for (var row = 0; row < chunk.rows(); row++) out.add(text(row(chunk, row)));
        return out;
    }

    /// Each row of the batch, in the order of writing.
    static List<String> rows(BatchRows batch) {
        var out = new ArrayList<String>();
        for (var slice : batch.slices()) {
            for (var row = slice.fromRow(); row < slice.toRow(); row++) out.add(text(row(slice.chunk(), row)));
        }
        return out;
    }

    /// What a gathering write would send.
    static String sent(BatchRows batch) {
        var out = new StringBuilder();
        for (var buffer : batch.gather()) {
            out.append(StandardCharsets.UTF_8.decode(buffer));
        }
        return out.toString();
    }
}
