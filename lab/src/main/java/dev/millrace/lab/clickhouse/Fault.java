package dev.millrace.lab.clickhouse;

import java.time.Duration;
import java.util.function.Predicate;

/// What a [ClickHouseFront] does wrong, to which requests, and how many of them.
///
/// As made, it befalls every statement until it is healed; [#times], [#onInserts] and [#when] narrow it.
public final class Fault {
    private final Effect effect;
    private final Predicate<Asked> befalls;
    private final long most;

    private Fault(Effect effect, Predicate<Asked> befalls, long most) {
        this.effect = effect;
        this.befalls = befalls;
        this.most = most;
    }

    private static Fault of(Effect effect) {
        return new Fault(effect, asked -> !asked.ping(), Long.MAX_VALUE);
    }

    /// What is done to one request.
    sealed interface Effect {
        record LoseAnswer() implements Effect {}

        record Early(Answer answer) implements Effect {}

        record Instead(Answer answer) implements Effect {}

        record Afterwards(Answer answer) implements Effect {}

        record Delay(Duration length) implements Effect {}

        record DelayAnswer(Duration length) implements Effect {}

        record Hang() implements Effect {}

        record HoldAnswer() implements Effect {}

        record Drip(int bytesPerSecond) implements Effect {}

        record CutRequest(long bytes) implements Effect {}

        record CutAnswer(long bytes) implements Effect {}

        record EndlessAnswer() implements Effect {}
    }

    /// The engine runs it, and the connection is reset without a byte of the answer.
    public static Fault loseAnswer() {
        return of(new Effect.LoseAnswer());
    }

    /// The engine is not asked; the body is read, and this is the answer.
    public static Fault answer(Answer answer) {
        return of(new Effect.Instead(answer));
    }

    /// The engine runs it, and this is the answer all the same.
    public static Fault answerAfterwards(Answer answer) {
        return of(new Effect.Afterwards(answer));
    }

    /// This is the answer as soon as the head has arrived; the body is not read, and the connection is closed.
    public static Fault answerEarly(Answer answer) {
        return of(new Effect.Early(answer));
    }

    /// The engine is asked so much later. Healing ends the delay.
    public static Fault delay(Duration length) {
        return of(new Effect.Delay(length));
    }

    /// The engine runs it at once, the answer comes so much later. Healing ends the delay.
    public static Fault delayAnswer(Duration length) {
        return of(new Effect.DelayAnswer(length));
    }

    /// The body is read, and nothing else happens until it is healed; the engine runs it then.
    public static Fault hang() {
        return of(new Effect.Hang());
    }

    /// The engine runs it, and the answer is kept back until it is healed.
    public static Fault holdAnswer() {
        return of(new Effect.HoldAnswer());
    }

    /// The answer comes at so many bytes a second, its head too.
    public static Fault drip(int bytesPerSecond) {
        if (bytesPerSecond < 1) throw new IllegalArgumentException(bytesPerSecond + " bytes a second is not 1 or more");
        return of(new Effect.Drip(bytesPerSecond));
    }

    /// The connection is reset after so many bytes of the body, as they come; the engine stores none of it. Of
    /// requests whose statement stands in the URL: where it stands in the body, that is read first.
    public static Fault cutRequest(long bytes) {
        return of(new Effect.CutRequest(notNegative(bytes)));
    }

    /// The engine runs it, and the connection is reset after so many bytes of the answer, its head among them.
    public static Fault cutAnswer(long bytes) {
        return of(new Effect.CutAnswer(notNegative(bytes)));
    }

    /// The engine runs it, and the answer is 200 with a body that does not end until it is healed.
    public static Fault endlessAnswer() {
        return of(new Effect.EndlessAnswer());
    }

    private static long notNegative(long bytes) {
        if (bytes < 0) throw new IllegalArgumentException("a cut after " + bytes + " bytes is negative");
        return bytes;
    }

    /// The next so many requests alone.
    public Fault times(long most) {
        if (most < 1) throw new IllegalArgumentException(most + " times is not 1 or more");
        return new Fault(effect, befalls, most);
    }

    /// Inserts alone.
    public Fault onInserts() {
        return when(Asked::insert);
    }

    /// `GET /ping` alone.
    public Fault onPings() {
        return when(Asked::ping);
    }

    /// Pings and statements.
    public Fault onEverything() {
        return when(_ -> true);
    }

    /// These requests alone, pings among them if it says so.
    public Fault when(Predicate<Asked> befalls) {
        return new Fault(effect, befalls, most);
    }

    Effect effect() {
        return effect;
    }

    boolean befalls(Asked asked) {
        return befalls.test(asked);
    }

    long most() {
        return most;
    }

    @Override
    public String toString() {
        return effect + (most == Long.MAX_VALUE ? "" : " " + most + " times");
    }
}
