package dev.millrace.lab.clickhouse;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/// One request: what it asks, who asks, what befalls it, what the engine says, what the client gets.
///
/// Thread ownership: the connection's.
final class Exchange {
    private final ClickHouseFront front;
    private final ClientConnection connection;
    private final RequestHead head;
    private final OutputStream out;
    private final WireBody body;

    Exchange(ClickHouseFront front, ClientConnection connection, RequestHead head, InputStream in, OutputStream out)
            throws IOException {
        this.front = front;
        this.connection = connection;
        this.head = head;
        this.out = out;
        this.body = WireBody.of(head, in, out);
    }

    /// Returns whether the connection goes on.
    boolean run() throws IOException, InterruptedException {
        var encoding = Encodings.of(head.header("content-encoding"));
        var rows = new CountedStream(encoding == null ? body : encoding.decoded(body));
        String text = latin(head.parameter("query"));
        // The statement alone decides what befalls it, so it must be known, though it stands in the body.
        boolean inBody = text.isEmpty() && encoding != null && head.method().equals("POST");
        if (inBody) text = new String(rows.readAllBytes(), StandardCharsets.ISO_8859_1);
        var parameters = new LinkedHashMap<>(head.parameters());
        parameters.remove("query");
        var asked = new Asked(head.method(), head.path(), utf8(text), parameters, head.headers());
        var entry = new LogEntry(front.log(), asked, body, rows);
        var claim = front.plan().claim(asked);
        var delivery = new Delivery(front, connection, out, entry, head);
        try {
            if (claim != null && claim.effect() instanceof Fault.Effect.CutRequest(var bytes)) body.cutAfter(bytes);
            if (claim != null && claim.effect() instanceof Fault.Effect.Early(var answer)) {
                return delivery.early(answer);
            }
            Answer answer = answer(asked, text, encoding, rows, claim, entry);
            if (answer == null) return delivery.broken();
            body.drain();
            return delivery.send(answer, claim);
        } catch (WireBody.CutHere told) {
            return delivery.cut();
        } catch (Encodings.Broken broken) {
            return delivery.send(broken.answer(), claim);
        } catch (IOException broken) {
            entry.end(LoggedRequest.End.BROKEN);
            throw broken;
        }
    }

    /// Null if the engine is gone.
    private @Nullable Answer answer(
            Asked asked,
            String text,
            @Nullable Encodings encoding,
            CountedStream rows,
            FaultPlan.@Nullable Claim claim,
            LogEntry entry)
            throws IOException, InterruptedException {
        if (asked.ping()) return waited(Answer.of(200, "Ok.\n"), claim);
        if (!asked.path().equals("/")) return Answer.of(404, "There is no handle " + asked.path() + "\n");
        if (encoding == null)
            return Answer.exception(
                    48, "NOT_IMPLEMENTED", "Unknown compression method '" + head.header("content-encoding") + "'");
        Answer refusal = Credentials.refusal(head, front.settings());
        if (refusal == null) refusal = QueryParameters.refusal(head);
        if (refusal != null) return refusal;
        if (text.isEmpty()) return Answer.of(200, "Ok.\n");
        if (claim != null && claim.effect() instanceof Fault.Effect.Instead(var answer)) {
            rows.readAllBytes();
            return answer;
        }
        return engineAnswer(text, rows, claim, entry);
    }

    private @Nullable Answer engineAnswer(
            String text, CountedStream rows, FaultPlan.@Nullable Claim claim, LogEntry entry)
            throws IOException, InterruptedException {
        var statement = Statement.of(text, QueryParameters.defaultFormat(head));
        InputStream from = rows;
        if (!statement.rows()) {
            // The server takes the body for the rest of the statement's text.
            byte[] rest = rows.readAllBytes();
            if (rest.length > 0) {
                String whole = text + "\n" + new String(rest, StandardCharsets.ISO_8859_1);
                statement = Statement.of(whole, QueryParameters.defaultFormat(head));
            }
        }
        if (!statement.inline().isEmpty()) {
            byte[] inline = statement.inline().getBytes(StandardCharsets.ISO_8859_1);
            from = new SequenceInputStream(new ByteArrayInputStream(inline), rows);
        }
        if (claim != null && waits(claim)) {
            from = new ByteArrayInputStream(from.readAllBytes());
            await(claim);
        }
        // A front that was killed meanwhile asks nobody any more.
        if (!connection.open()) throw new IOException("the connection is closed");
        var request = new EngineRequest(
                QueryParameters.database(head),
                QueryParameters.settings(head),
                statement.sql(),
                statement.format(),
                statement.rows());
        return answer(ask(request, from, entry), statement);
    }

    private EngineResult ask(EngineRequest request, InputStream rows, LogEntry entry) throws IOException {
        entry.change(before -> before.with(LoggedRequest.Ran.UNKNOWN, 0));
        try {
            var result = front.engine().link().ask(request, rows);
            entry.change(before -> switch (result) {
                case EngineResult.Done _ -> before.with(LoggedRequest.Ran.DONE, 0);
                case EngineResult.Failed failed -> before.with(LoggedRequest.Ran.REFUSED, failed.code());
                case EngineResult.Gone _ -> before;
            });
            return result;
        } catch (EngineLink.RowsBroken broken) {
            throw broken.reason();
        }
    }

    private static boolean waits(FaultPlan.Claim claim) {
        return claim.effect() instanceof Fault.Effect.Delay || claim.effect() instanceof Fault.Effect.Hang;
    }

    private void await(FaultPlan.Claim claim) throws InterruptedException {
        if (claim.effect() instanceof Fault.Effect.Delay(var length))
            front.plan().await(claim, length);
        if (claim.effect() instanceof Fault.Effect.Hang) front.plan().awaitHealed(claim);
    }

    private Answer waited(Answer answer, FaultPlan.@Nullable Claim claim) throws InterruptedException {
        if (claim == null) return answer;
        await(claim);
        return claim.effect() instanceof Fault.Effect.Instead(var instead) ? instead : answer;
    }

    private @Nullable Answer answer(EngineResult result, Statement statement) {
        return switch (result) {
            case EngineResult.Done(var counts, var output) ->
                new Answer(200, EngineHeaders.of(head, statement.answerFormat(), counts), output);
            case EngineResult.Failed failed -> {
                Answer plain = Answer.exception(failed.code(), failed.text() + EngineHeaders.VERSION_SUFFIX);
                var headers = EngineHeaders.of(head, Statement.DEFAULT_FORMAT, EngineResult.Counts.NONE);
                headers.putAll(plain.headers());
                yield new Answer(plain.status(), headers, plain.body());
            }
            case EngineResult.Gone _ -> null;
        };
    }

    private static String latin(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private static String utf8(String latin) {
        return new String(latin.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }
}
