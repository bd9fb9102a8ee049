package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.fuzz.Draw;
import dev.millrace.fuzz.FuzzTarget;
import dev.millrace.httpclient.Answer;
import dev.millrace.httpclient.BoundedText;
import dev.millrace.httpclient.HttpExchange;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.WriteOutcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Flow;
import java.util.regex.Pattern;

/// Any answer, in any pieces, comes to an outcome, is held within bounds, and is no success with an exception in it.
final class AnswerFuzz implements FuzzTarget {
    private static final String CODE = "X-ClickHouse-Exception-Code";
    private static final List<String> NAMES = List.of(
            CODE, "X-ClickHouse-Summary", "X-ClickHouse-Query-Id", "Retry-After", "Content-Encoding", "Content-Type");
    private static final int[] STATUSES = {200, 200, 200, 200, 500, 404, 400, 503, 413, 403};

    /// As the server begins what it throws, whichever library it comes from.
    private static final Pattern EXCEPTION =
            Pattern.compile("DB::[A-Za-z]*Exception|Poco::[A-Za-z:]*Exception|std::[a-z_:]*exception|__exception__"
                    + "|Code: [0-9]{1,6}[.,] ?(e\\.displayText\\(\\) = )?DB::");

    @Override
    public List<String> words() {
        return List.of(
                "Code: 241. DB::Exception: ",
                "Code: 27, e.displayText() = DB::",
                "Poco::Exception. Code: 1000, ",
                "std::exception. Code: 1001, ",
                "__exception__\r\n",
                "(at row 2)",
                "is violated at row 1",
                ": while pushing to view a.b",
                "{\"written_rows\":\"1\"}",
                "241",
                "gzip",
                "identity",
                "0");
    }

    @Override
    public void take(byte[] input) {
        var draw = new Draw(input);
        var status = draw.yes() ? STATUSES[draw.below(STATUSES.length)] : 100 + draw.below(500);
        var rows = 1 + draw.below(5);
        var headers = headers(draw);
        var kept = draw.yes() ? BoundedText.OF_AN_ERROR : 1 + draw.below(64);
        var said = new ByteArrayOutputStream();
        var reader = new BoundedText(kept, draw.yes() ? ByteBuffer::remaining : null);
        var whole = read(reader, draw, said);
        var read = reader.getBody().toCompletableFuture().getNow(new BoundedText.Read("", false, false));
        assertThat(reader.getBody().toCompletableFuture()).isDone();
        assertThat(read.text().length()).isLessThanOrEqualTo(2 * kept + 1);
        var answer = Exchange.answer(Answer.of(status, headers, read));
        var outcome = Verdict.of(answer, rows, Verdicts.BUILT_IN);
        told(outcome, rows);
        told(HttpExchange.nothingStored(outcome), rows);
        if (!(outcome instanceof WriteOutcome.Written)) return;
        assertThat(status).isEqualTo(200);
        assertThat(whole).as("the answer ended").isTrue();
        assertThat(headers.allValues(CODE)).as("exception codes").isSubsetOf("0");
        assertThat(headers.allValues("Content-Encoding"))
                .allSatisfy(how -> assertThat(how).isEqualToIgnoringCase("identity"));
        assertThat(headers.map().keySet())
                .anyMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("x-clickhouse-"));
        var text = said.toString(StandardCharsets.ISO_8859_1);
        assertThat(EXCEPTION.matcher(text).find()).as("an exception in " + text).isFalse();
    }

    private static HttpHeaders headers(Draw draw) {
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (var left = draw.below(6); left > 0; left--) {
            var name = draw.yes() ? NAMES.get(draw.below(NAMES.size())) : draw.text(16);
            var value = draw.text(60);
            if (!name.trim().isEmpty())
                headers.computeIfAbsent(name.trim(), _ -> new ArrayList<>()).add(value.trim());
        }
        return HttpHeaders.of(headers, (_, _) -> true);
    }

    /// Whether it came to its end.
    private static boolean read(BoundedText reader, Draw draw, ByteArrayOutputStream said) {
        var line = new Line();
        reader.onSubscribe(line);
        for (var left = draw.below(8); left > 0 && !line.cut; left--) {
            var times = draw.yes() ? 1 : 1 + draw.below(200);
            var piece = draw.bytes(255);
            var pieces = new ArrayList<ByteBuffer>();
            for (var i = 0; i < times; i++) {
                pieces.add(ByteBuffer.wrap(piece).asReadOnlyBuffer());
                said.writeBytes(piece);
            }
            reader.onNext(pieces);
        }
        var whole = !draw.yes();
        if (whole) reader.onComplete();
        else reader.onError(new IOException("cut"));
        return whole && !line.cut;
    }

    private static final class Line implements Flow.Subscription {
        private boolean cut;

        @Override
        public void request(long count) {
            assertThat(count).isPositive();
        }

        @Override
        public void cancel() {
            cut = true;
        }
    }

    private static void told(WriteOutcome outcome, int rows) {
        switch (outcome) {
            case WriteOutcome.Written(var accepted, var duplicate) ->
                assertThat(accepted + duplicate).isEqualTo(rows);
            case WriteOutcome.Refused(var failure, var row) -> {
                assertThat(row).isBetween(-1, rows - 1);
                bounded(failure);
            }
            case WriteOutcome.Unavailable(var failure, var _) -> bounded(failure);
            case WriteOutcome.TooLarge(var failure) -> bounded(failure);
            case WriteOutcome.Misconfigured(var failure) -> bounded(failure);
        }
    }

    private static void bounded(Failure failure) {
        assertThat(failure.code()).isNotBlank();
        assertThat(failure.message().getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(1024);
        assertThat(failure.toString().chars().noneMatch(Character::isISOControl))
                .isTrue();
    }
}
