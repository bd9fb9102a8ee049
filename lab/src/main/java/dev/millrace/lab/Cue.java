package dev.millrace.lab;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Which answers of a server a [ChaosProxy] drops or holds: every one, or those a run of bytes tells apart.
///
/// A cue in the *answer* is the safer one: what the server has answered, it has done. A cue in the *request*
/// suits protocols that ask one thing at a time, since the first bytes that come back after it are taken for
/// its answer. Mind that a driver may prepare a statement once and later send its name alone: PostgreSQL's does
/// so with `COMMIT`.
public final class Cue {
    /// Every answer.
    public static final Cue ANY = new Cue(Place.NOWHERE, new byte[0]);

    /// PostgreSQL's answer to a `COMMIT`: the transaction is durable, and the client does not know it yet.
    public static final Cue POSTGRES_COMMITTED = inAnswer("COMMIT\0");

    private final Place place;
    private final byte[] bytes;

    private Cue(Place place, byte[] bytes) {
        this.place = place;
        this.bytes = bytes;
    }

    /// Where its bytes are looked for.
    enum Place {
        NOWHERE,
        REQUEST,
        ANSWER
    }

    /// Answers that hold this text, as UTF-8. From the bytes on that complete it.
    public static Cue inAnswer(String text) {
        return new Cue(Place.ANSWER, notEmpty(text));
    }

    /// All answers that come on a connection after a request that held this text, as UTF-8.
    public static Cue inRequest(String text) {
        return new Cue(Place.REQUEST, notEmpty(text));
    }

    private static byte[] notEmpty(String text) {
        if (text.isEmpty()) throw new IllegalArgumentException("a cue of no bytes is Cue.ANY");
        return text.getBytes(StandardCharsets.UTF_8);
    }

    Place place() {
        return place;
    }

    ByteSearch search() {
        return new ByteSearch(bytes);
    }

    @Override
    public String toString() {
        return place + " " + Arrays.toString(bytes);
    }
}
