package dev.millrace.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/// Makes inputs of those that are kept: one of them with some bytes changed, left out, doubled, or taken from another
/// one. The same seed makes the same inputs.
final class Mutation {
    private static final int MOST_CHANGES = 4;
    private static final int MOST_BYTES = 4096;
    private static final byte[] EDGES = {0, 1, -1, 127, -128, ' ', '\n', '"', '\\', '{', '9', ':'};

    private final Random random;
    private final List<byte[]> kept;
    private final List<byte[]> words;

    Mutation(long seed, List<byte[]> kept, List<String> words) {
        random = new Random(seed);
        this.kept = kept;
        this.words = words.stream()
                .map(word -> word.getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    byte[] next() {
        var input = one(kept);
        for (var left = 1 + random.nextInt(MOST_CHANGES); left > 0; left--) input = changed(input);
        return input.length <= MOST_BYTES ? input : Arrays.copyOf(input, MOST_BYTES);
    }

    private byte[] one(List<byte[]> of) {
        return of.isEmpty() ? new byte[0] : of.get(random.nextInt(of.size()));
    }

    private byte[] changed(byte[] input) {
        var from = random.nextInt(input.length + 1);
        var some = Math.min(input.length - from, 1 + random.nextInt(1 + random.nextInt(16)));
        return switch (random.nextInt(8)) {
            case 0 -> joined(input, from, new byte[] {(byte) random.nextInt(256)}, from + Math.min(1, some));
            case 1 -> joined(input, from, new byte[] {EDGES[random.nextInt(EDGES.length)]}, from + Math.min(1, some));
            case 2 -> flipped(input, from);
            case 3 -> joined(input, from, new byte[0], from + some);
            case 4 -> joined(input, from, Arrays.copyOfRange(input, from, from + some), from);
            case 5 -> joined(input, from, piece(one(kept)), from);
            case 6 -> joined(input, from, one(words), from);
            default -> joined(input, from, one(words), from + some);
        };
    }

    private byte[] flipped(byte[] input, int at) {
        var flipped = input.clone();
        if (at < flipped.length) flipped[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
        return flipped;
    }

    private byte[] piece(byte[] of) {
        var from = random.nextInt(of.length + 1);
        return Arrays.copyOfRange(of, from, from + random.nextInt(of.length - from + 1));
    }

    /// `between` stands for what `input` has from `from` to `to`.
    private static byte[] joined(byte[] input, int from, byte[] between, int to) {
        var joined = new ByteArrayOutputStream(input.length + between.length);
        joined.write(input, 0, from);
        joined.writeBytes(between);
        joined.write(input, to, input.length - to);
        return joined.toByteArray();
    }
}
