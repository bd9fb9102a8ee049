package dev.millrace.intake;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import dev.millrace.sinkpool.Fate;
import dev.millrace.sinkpool.Refusal;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// What a request is answered: who asks, for what, whether there is room for its body, and what became of that.
///
/// What is wrong with a request is said before its body is read, as far as that can be known. Nothing of a body is in
/// any answer, and nothing of it is logged.
///
/// Thread ownership: any; a request belongs to the thread that brings it.
final class Posting {
    private static final String BEFORE = "/v1/";
    private static final int TOPICS_NAMED = 20;

    private final IntakeSettings settings;
    private final Gate gate;
    private final Admission admission;
    private final IntakeCounts counts;
    private final IntakeLog log;
    private final Semaphore slots;
    private final Set<Outcome> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean draining;
    private volatile boolean over;

    Posting(IntakeSettings settings, Gate gate, Admission admission, IntakeCounts counts, IntakeLog log) {
        this.settings = settings;
        this.gate = gate;
        this.admission = admission;
        this.counts = counts;
        this.log = log;
        this.slots = new Semaphore(settings.maxRequests());
    }

    /// From now on nothing is taken in.
    void drain() {
        draining = true;
    }

    /// Waits until no body is being read, or so long. Returns whether none is. After [#drain].
    boolean awaitRead(long nanos) throws InterruptedException {
        if (!slots.tryAcquire(settings.maxRequests(), Math.max(0, nanos), TimeUnit.NANOSECONDS)) return false;
        slots.release(settings.maxRequests());
        return true;
    }

    Answer answer(HttpExchange exchange) throws InterruptedException {
        var path = exchange.getRequestURI().getRawPath();
        var topic = path != null && path.startsWith(BEFORE) ? path.substring(BEFORE.length()) : "";
        var method = exchange.getRequestMethod();
        if (!method.equals("POST"))
            return Answer.error(405, "rows are posted to /v1/NAME").header("Allow", "POST");
        var refused = stranger(exchange.getRequestHeaders());
        if (refused != null) return refused;
        if (!settings.topics().contains(topic)) return unknown();
        if (draining) return draining();
        if (gate.paused()) return later(503, IntakeCounts.Limit.PAUSED, Pace.LATEST);
        var asked = Asked.of(exchange.getRequestURI().getRawQuery());
        if (asked == null)
            return Answer.error(400, "the query may hold wait=durable and key=TEXT of 1 to 1024 bytes, each once");
        return switch (taken(exchange, topic, asked)) {
            case Taken.Told(var answer) -> answer;
            case Taken.In(var whole) -> asked.waits() ? written(whole) : admitted(whole);
        };
    }

    private Answer unknown() {
        var all = settings.topics();
        var named = String.join(", ", all.subList(0, Math.min(TOPICS_NAMED, all.size())));
        return Answer.error(
                404,
                "rows are posted to /v1/NAME, and NAME is one of source.http.topics: " + named
                        + (all.size() > TOPICS_NAMED ? " and others" : ""));
    }

    /// Null for a request that may post.
    private @Nullable Answer stranger(Headers headers) {
        // A browser says so whenever a page of somebody else's asks, and asks without a token for whoever runs it.
        if (headers.containsKey("Origin") || headers.containsKey("Sec-Fetch-Site"))
            return Answer.error(403, "this is not for pages in a browser");
        var shown = headers.get("Authorization");
        return switch (gate.check(shown == null || shown.size() != 1 ? null : shown.getFirst())) {
            case HOLDS -> null;
            case DENIED -> {
                log.denied();
                yield Answer.error(401, "show the token of source.http.token_file: Authorization: Bearer TOKEN")
                        .header("WWW-Authenticate", "Bearer");
            }
            case UNREADABLE ->
                later(503, IntakeCounts.Limit.TOKEN, Pace.LATEST)
                        .text("why", "the file of source.http.token_file holds no token now");
        };
    }

    // --- the body

    private sealed interface Taken {
        /// Nothing was taken in.
        record Told(Answer answer) implements Taken {}

        record In(Admitted.Whole whole) implements Taken {}
    }

    private Taken taken(HttpExchange exchange, String topic, Asked asked) {
        if (!slots.tryAcquire()) return new Taken.Told(tooMany());
        try {
            // A drain that began meanwhile waits for those that have a slot, and this would be one more.
            if (draining) return new Taken.Told(draining());
            var refused = unreadable(exchange.getRequestHeaders());
            if (refused != null) return new Taken.Told(refused);
            byte[] body;
            try {
                body = exchange.getRequestBody().readNBytes(settings.maxBodyBytes() + 1);
            } catch (IOException _) {
                // So the server tells a body that ends before its length, or within a chunk.
                return new Taken.Told(broken());
            }
            if (body.length > settings.maxBodyBytes()) return new Taken.Told(tooLong());
            return told(admission.take(topic, body, asked.key()));
        } finally {
            slots.release();
        }
    }

    /// Null for a body that may be read.
    private @Nullable Answer unreadable(Headers headers) {
        var packed = headers.getFirst("Content-Encoding");
        if (packed != null && !packed.equalsIgnoreCase("identity"))
            return Answer.error(415, "a body is read as it is: send it without Content-Encoding");
        return length(headers) > settings.maxBodyBytes() ? tooLong() : null;
    }

    /// What the request says that its body has; -1 for nothing, and for what is no number.
    private static long length(Headers headers) {
        var told = headers.getFirst("Content-Length");
        try {
            return told == null ? -1 : Long.parseLong(told.strip());
        } catch (NumberFormatException _) {
            return -1;
        }
    }

    private Answer tooLong() {
        return Answer.error(413, "a body has at most " + settings.maxBodyBytes() + " bytes (source.http.max_body)")
                .number("limit", settings.maxBodyBytes());
    }

    private static Answer broken() {
        return Answer.error(400, "the body ended before its end; nothing of it is taken in")
                .header("Connection", "close");
    }

    private Taken told(Admitted admitted) {
        return switch (admitted) {
            case Admitted.Whole whole -> {
                counts.admit(whole.lines());
                yield new Taken.In(whole);
            }
            case Admitted.Empty() -> new Taken.Told(Answer.error(400, "the body has no row"));
            case Admitted.Bad(var line, var why) ->
                new Taken.Told(Answer.error(400, "line " + line + " can't be a row: " + why + "; nothing is taken in")
                        .number("line", line));
            case Admitted.Full full -> new Taken.Told(full(full));
            case Admitted.TooMany(var sink, var rows, var most) ->
                new Taken.Told(Answer.error(
                                413,
                                rows + " rows are more than sink " + sink + " ever holds; send fewer at once, or raise"
                                        + " admission.max_rows")
                        .number("limit", most));
            case Admitted.TooLarge(var sink, var most) ->
                new Taken.Told(Answer.error(
                                413,
                                "the rows take more than " + most + " bytes as sink " + sink
                                        + " has them; send fewer at once, or raise admission.max_bytes")
                        .number("limit", most));
            case Admitted.NotNow(var sink, var line, var why) ->
                new Taken.Told(later(503, IntakeCounts.Limit.DESTINATION, Pace.LATEST)
                        .text("sink", sink)
                        .number("line", line)
                        .text("why", why));
        };
    }

    // --- what is refused

    private Answer draining() {
        return later(503, IntakeCounts.Limit.DRAINING, Pace.LATEST).header("Connection", "close");
    }

    private Answer tooMany() {
        var most = settings.maxRequests();
        return later(429, IntakeCounts.Limit.REQUESTS, Pace.SOONEST)
                .number("asked", 1)
                .number("held", most)
                .number("limit", most);
    }

    private Answer full(Admitted.Full full) {
        var why = full.why();
        var limit = limit(why);
        if (limit == IntakeCounts.Limit.DRAINING) return draining();
        var told = later(429, limit, full.retrySeconds()).text("sink", full.sink());
        var shard = full.shard();
        return (shard == null ? told : told.text("shard", shard))
                .number("asked", why.asked())
                .number("held", why.taken())
                .number("limit", why.bound());
    }

    private static IntakeCounts.Limit limit(Refusal why) {
        return switch (why.by()) {
            case BYTES -> IntakeCounts.Limit.BYTES;
            case ROWS, WAITING, DEADLINE -> IntakeCounts.Limit.ROWS;
            case CLOSED -> IntakeCounts.Limit.DRAINING;
        };
    }

    private Answer later(int status, IntakeCounts.Limit by, int seconds) {
        counts.refuse(by);
        log.refused(by);
        return new Answer(status)
                .header("Retry-After", Integer.toString(seconds))
                .text("refused_by", by.word());
    }

    // --- what is taken in

    private static Answer admitted(Admitted.Whole whole) throws InterruptedException {
        var now = whole.outcome().await(0);
        // Its sinks were closed while it was handed over.
        return now.of(Fate.GIVEN_UP) > 0 ? givenUp(whole, now) : new Answer(202).number("admitted", whole.lines());
    }

    private Answer written(Admitted.Whole whole) throws InterruptedException {
        var now = awaited(whole.outcome());
        if (now.done()) return new Answer(200).number("written", whole.lines());
        if (now.of(Fate.GIVEN_UP) + now.of(Fate.IN_DOUBT) > 0) return givenUp(whole, now);
        if (now.out() > 0)
            return counted(
                    504,
                    "not all is written after source.http.wait_timeout; the rows stay admitted, and are written when"
                            + " the sink takes them",
                    whole,
                    now);
        return counted(422, "the sink refused rows for their data; the others are written", whole, now)
                .rows("rows", now.rejected());
    }

    private Outcome.Tally awaited(Outcome outcome) throws InterruptedException {
        waiting.add(outcome);
        try {
            return outcome.await(over ? 0 : settings.waitNanos());
        } finally {
            waiting.remove(outcome);
        }
    }

    /// Nobody waits any longer: whose rows have not ended is told so.
    void endWaits() {
        over = true;
        waiting.forEach(Outcome::endWait);
    }

    private static Answer givenUp(Admitted.Whole whole, Outcome.Tally now) {
        return counted(502, "rows were given up, and are in no log to be read again: send them again", whole, now);
    }

    /// Counted once for each sink that takes the row.
    private static Answer counted(int status, String text, Admitted.Whole whole, Outcome.Tally now) {
        return Answer.error(status, text)
                .number("admitted", whole.lines())
                .number("written", now.of(Fate.WRITTEN))
                .number("rejected", now.of(Fate.REJECTED))
                .number("given_up", now.of(Fate.GIVEN_UP))
                .number("in_doubt", now.of(Fate.IN_DOUBT))
                .number("waiting", now.out());
    }
}
