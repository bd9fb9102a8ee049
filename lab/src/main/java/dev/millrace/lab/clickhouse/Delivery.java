package dev.millrace.lab.clickhouse;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Brings one answer to the client, or not, as the fault that befell its request says.
///
/// Each method returns whether the connection goes on.
///
/// Thread ownership: the connection's.
final class Delivery {
    private static final int ENDLESS_CHUNK = 64 << 10;
    private static final int DRIPS_A_SECOND = 50;

    private final ClickHouseFront front;
    private final ClientConnection connection;
    private final OutputStream out;
    private final LogEntry entry;
    private final RequestHead head;

    Delivery(ClickHouseFront front, ClientConnection connection, OutputStream out, LogEntry entry, RequestHead head) {
        this.front = front;
        this.connection = connection;
        this.out = out;
        this.entry = entry;
        this.head = head;
    }

    /// An answer for which the body is not awaited.
    boolean early(Answer answer) throws IOException {
        write(answer, AnswerWriter.bytes(answer, head.http10(), false));
        return false;
    }

    /// The engine ended meanwhile: so does the connection, as with a server that dies.
    boolean broken() {
        return end(LoggedRequest.End.BROKEN);
    }

    boolean cut() {
        return end(LoggedRequest.End.CUT);
    }

    private boolean end(LoggedRequest.End end) {
        entry.end(end);
        connection.reset();
        return false;
    }

    boolean send(Answer answer, FaultPlan.@Nullable Claim claim) throws IOException, InterruptedException {
        if (claim == null) return whole(answer);
        return switch (claim.effect()) {
            case Fault.Effect.LoseAnswer() -> cut();
            case Fault.Effect.Afterwards(var instead) -> whole(instead);
            case Fault.Effect.DelayAnswer(var length) -> {
                front.plan().await(claim, length);
                yield whole(answer);
            }
            case Fault.Effect.HoldAnswer() -> {
                entry.end(LoggedRequest.End.HELD);
                front.plan().awaitHealed(claim);
                yield whole(answer);
            }
            case Fault.Effect.Drip(var bytesPerSecond) -> drip(answer, bytesPerSecond, claim);
            case Fault.Effect.CutAnswer(var bytes) -> cutAfter(answer, bytes);
            case Fault.Effect.EndlessAnswer() -> endless(claim);
            case Fault.Effect.Early _,
                    Fault.Effect.Instead _,
                    Fault.Effect.Delay _,
                    Fault.Effect.Hang _,
                    Fault.Effect.CutRequest _ -> whole(answer);
        };
    }

    private boolean whole(Answer answer) throws IOException {
        write(answer, AnswerWriter.bytes(answer, head.http10(), head.keepAlive()));
        return head.keepAlive();
    }

    private void write(Answer answer, byte[] bytes) throws IOException {
        entry.answered(answer);
        out.write(bytes);
        out.flush();
    }

    private boolean drip(Answer answer, int bytesPerSecond, FaultPlan.Claim claim)
            throws IOException, InterruptedException {
        byte[] bytes = AnswerWriter.bytes(answer, head.http10(), head.keepAlive());
        int step = Math.max(1, bytesPerSecond / DRIPS_A_SECOND);
        var pause = Duration.ofNanos(1_000_000_000L * step / bytesPerSecond);
        entry.answered(answer);
        for (int at = 0; at < bytes.length; at += step) {
            front.plan().await(claim, pause);
            out.write(bytes, at, Math.min(step, bytes.length - at));
            out.flush();
        }
        return head.keepAlive();
    }

    // What is in the system's buffer when a connection is reset is lost to the client: it ends politely here, in
    // the middle of what it said it would send.
    private boolean cutAfter(Answer answer, long most) throws IOException {
        byte[] bytes = AnswerWriter.bytes(answer, head.http10(), head.keepAlive());
        entry.end(LoggedRequest.End.CUT);
        out.write(bytes, 0, (int) Math.min(most, bytes.length));
        out.flush();
        return false;
    }

    private boolean endless(FaultPlan.Claim claim) throws IOException {
        out.write(AnswerWriter.chunkedHead());
        byte[] chunk = AnswerWriter.chunk(ENDLESS_CHUNK);
        while (!front.plan().healed(claim)) {
            out.write(chunk);
            out.flush();
        }
        return cut();
    }
}
