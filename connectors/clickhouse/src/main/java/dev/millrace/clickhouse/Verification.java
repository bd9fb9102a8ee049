package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Coordinates.Part;
import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.Token;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells by reading whether the rows of a batch are stored, where a server may remember a batch's token
/// and have lost its rows (CH-9), or may have forgotten the token (EO-10); and sends what is gone
/// again.
///
/// Where the batch's token was told to be written, a request of an earlier attempt that arrives late is
/// dropped; a forgotten one's is not, and is beyond any check. What a replica has or lacks counts
/// only if it said before that it runs no
/// insert of the batch and doubts no part of the table. All rows on such replicas, together: written. A
/// row is gone if every replica of the shard counts and lacks it: the one that took it is among them.
/// Anything else decides nothing, and the batch is sent again as it is. What is gone goes under a token
/// of its own, which a function of the batch's token and of the rows is, so that whoever comes to the
/// same again sends the same.
///
/// Thread ownership: one attempt.
final class Verification {
    /// The replicas of the shard, the one that is written to first.
    interface Replicas {
        List<ClickHouseEndpoint> all();

        /// `lines` is given the answer as it arrives.
        Exchange.Result ask(ClickHouseEndpoint replica, String question, @Nullable Consumer<ByteBuffer> lines)
                throws InterruptedException;

        /// To the first of them.
        WriteOutcome send(BatchRows rows, Token token) throws InterruptedException;
    }

    /// Why nothing is decided.
    private static final class Undecided extends Exception {
        private static final long serialVersionUID = 1;
        private final transient Failure failure;

        Undecided(String code, String words) {
            super(words, null, false, false);
            failure = new Failure(code, words, true);
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(Verification.class);

    /// Sent again so often in one attempt, each time after it was read that the last was lost too.
    private static final int MOST_ROUNDS = 3;

    private static final int DIGEST_BYTES = 8;

    private final ClickHouseSettings settings;
    private final Replicas replicas;
    private final BatchRows rows;
    private final Token whole;
    private final Token token;
    private final RowPlaces places;

    /// `token` names the rows; `whole` the batch that they are of, under whose token they may be
    /// stored too.
    Verification(ClickHouseSettings settings, Replicas replicas, BatchRows rows, Token whole, Token token) {
        this.settings = settings;
        this.replicas = replicas;
        this.rows = rows;
        this.whole = whole;
        this.token = token;
        this.places = new RowPlaces(rows);
    }

    /// What a question is asked with: an answer that is cut by a limit of the server's is an
    /// error, never a short answer.
    static String parameters() {
        return "default_format=TSV&wait_end_of_query=1&result_overflow_mode=throw&read_overflow_mode=throw"
                + "&timeout_overflow_mode=throw&limit=0&offset=0";
    }

    /// What became of the batch, once what is missing of it was sent: where its token may be
    /// forgotten, and nothing was sent now. If nothing of it is there it goes under its own token,
    /// by which a request of an earlier attempt that comes late is known; else what is missing
    /// goes under a token of these rows. What is refused of it is refused: a row that was set aside
    /// before is missing for ever, and of parts too what stands is read first.
    WriteOutcome missing() throws InterruptedException {
        try {
            var missing = gone();
            if (missing.isEmpty()) return new WriteOutcome.Written(rows.rows(), 0);
            var sent = missing.cardinality() < rows.rows()
                    ? ofAll(missing, again(missing, 1, "their token may be forgotten, and they are not stored"))
                    : replicas.send(rows, token);
            return sent instanceof WriteOutcome.Written ? outcome() : sent;
        } catch (Undecided why) {
            return new WriteOutcome.Unavailable(why.failure, new Blame.Nobody());
        }
    }

    /// What became of the batch, whose token was told to be written.
    WriteOutcome outcome() throws InterruptedException {
        try {
            for (var round = 1; round <= MOST_ROUNDS; round++) {
                var gone = gone();
                if (gone.isEmpty()) return new WriteOutcome.Written(rows.rows(), 0);
                mustBeWritten(again(gone, round, "the server remembers their token and has lost them"));
            }
            if (gone().isEmpty()) return new WriteOutcome.Written(rows.rows(), 0);
            throw new Undecided(
                    "rows-vanish",
                    "rows are gone again after they were sent " + MOST_ROUNDS
                            + " times more: a TTL, a mutation or a row policy may hide them");
        } catch (Undecided why) {
            return new WriteOutcome.Unavailable(why.failure, new Blame.Nobody());
        }
    }

    /// Sends rows under a token of their own.
    private WriteOutcome again(BitSet gone, int round, String why) throws InterruptedException {
        var again = token(gone, round);
        LOG.atWarn()
                .addKeyValue("event", "clickhouse_rows_gone")
                .log(
                        "table={}.{} rows={} of={} token={}: {}; sent as {}",
                        settings.database(),
                        settings.table(),
                        gone.cardinality(),
                        rows.rows(),
                        token.text(),
                        why,
                        again.text());
        return replicas.send(rows.only(gone), again);
    }

    /// What an answer about some of the rows says of all of them.
    private static WriteOutcome ofAll(BitSet some, WriteOutcome outcome) throws Undecided {
        return switch (outcome) {
            case WriteOutcome.Written written -> written;
            case WriteOutcome.Refused(var failure, var rowHint) ->
                new WriteOutcome.Refused(failure, row(some, rowHint));
            case WriteOutcome.TooLarge tooLarge -> tooLarge;
            case WriteOutcome.Unavailable(var failure, var _) -> throw undecided("send-again", failure);
            case WriteOutcome.Misconfigured(var failure) -> throw undecided("send-again", failure);
        };
    }

    private static int row(BitSet some, int hint) {
        return hint < 0 ? hint : some.stream().skip(hint).findFirst().orElse(-1);
    }

    private static void mustBeWritten(WriteOutcome outcome) throws Undecided {
        switch (outcome) {
            case WriteOutcome.Written _ -> {}
            case WriteOutcome.Unavailable(var failure, var _) -> throw undecided("send-again", failure);
            case WriteOutcome.Refused(var failure, var _) -> throw undecided("send-again", failure);
            case WriteOutcome.TooLarge(var failure) -> throw undecided("send-again", failure);
            case WriteOutcome.Misconfigured(var failure) -> throw undecided("send-again", failure);
        }
    }

    private static Undecided undecided(String step, Failure failure) {
        return new Undecided(step + "-" + failure.code(), failure.message());
    }

    private Token token(BitSet gone, int round) {
        var name = token.text() + "#again" + round;
        return new Token(gone.cardinality() == rows.rows() ? name : name + "-" + digest(gone));
    }

    private static String digest(BitSet gone) {
        try {
            var digest =
                    MessageDigest.getInstance("SHA-256").digest(gone.toString().getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(digest, 0, DIGEST_BYTES);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }

    /// The rows that no replica has, by their numbers.
    private BitSet gone() throws InterruptedException, Undecided {
        var there = new BitSet(rows.rows());
        @Nullable Undecided undecided = null;
        for (var replica : replicas.all()) {
            var why = counted(replica, there);
            if (undecided == null) undecided = why;
            if (there.cardinality() == rows.rows()) return new BitSet();
        }
        if (undecided != null) throw undecided;
        var gone = new BitSet(rows.rows());
        gone.set(0, rows.rows());
        gone.andNot(there);
        return gone;
    }

    /// Adds the rows that a replica has. Returns why it does not count; null where it does.
    private @Nullable Undecided counted(ClickHouseEndpoint replica, BitSet there) throws InterruptedException {
        try {
            mustBeSettled(replica);
            read(replica, there);
            return null;
        } catch (Undecided why) {
            return why;
        }
    }

    /// In this order: an insert that ends in between has left what there is to check.
    private void mustBeSettled(ClickHouseEndpoint replica) throws InterruptedException, Undecided {
        if (!none(replica, underWay(whole)))
            throw new Undecided("still-running", replica + " still runs an insert of the batch");
        if (!none(replica, inCheck(settings)))
            throw new Undecided("in-check", replica + " checks parts of the table, and may yet take some back");
    }

    private boolean none(ClickHouseEndpoint replica, String question) throws InterruptedException, Undecided {
        return answer(replica, question, null).strip().equals("0");
    }

    private void read(ClickHouseEndpoint replica, BitSet there) throws InterruptedException, Undecided {
        var columns = settings.rows().coordinates();
        for (var topic : places.topics()) {
            var lines = new PlacesRead((partition, offset) -> places.mark(topic, partition, offset, there));
            answer(replica, question(settings, places.condition(topic, columns)), lines);
            if (!lines.whole()) throw new Undecided("unreadable", replica + " told of rows in no known form");
        }
    }

    /// What it would ask, of no rows: whether a server answers that tells if it can verify.
    static List<String> questions(ClickHouseSettings settings) {
        return List.of(underWay(new Token("-")), inCheck(settings), question(settings, "0"));
    }

    /// How many inserts run of the rows of a batch, or of some of them.
    private static String underWay(Token batch) {
        var named = "Settings['insert_deduplication_token']";
        return "SELECT count() FROM system.processes WHERE " + named + " = " + ClickHouseWriter.literal(batch.text())
                + " OR startsWith(" + named + ", " + ClickHouseWriter.literal(batch.text() + "#") + ")";
    }

    /// How many parts the replica doubts. One whose commit is unknown is there to be read until
    /// then, and may go.
    private static String inCheck(ClickHouseSettings settings) {
        return "SELECT sum(parts_to_check) FROM system.replicas WHERE database = "
                + ClickHouseWriter.literal(settings.database()) + " AND table = "
                + ClickHouseWriter.literal(settings.table());
    }

    /// Where the rows came from for which a condition holds.
    private static String question(ClickHouseSettings settings, String condition) {
        var columns = settings.rows().coordinates();
        return "SELECT " + InsertSettings.quoted(columns.needed(Part.PARTITION)) + ", "
                + InsertSettings.quoted(columns.needed(Part.OFFSET)) + " FROM "
                + InsertSettings.quoted(settings.database()) + "." + InsertSettings.quoted(settings.table()) + " WHERE "
                + condition;
    }

    private String answer(ClickHouseEndpoint replica, String question, @Nullable Consumer<ByteBuffer> lines)
            throws InterruptedException, Undecided {
        return switch (replicas.ask(replica, question, lines)) {
            case Exchange.Result.Failed(WriteOutcome.Unavailable(var failure, var _)) -> throw silent(replica, failure);
            case Exchange.Result.Failed(WriteOutcome.Misconfigured(var failure)) -> throw silent(replica, failure);
            case Exchange.Result.Failed(WriteOutcome _) ->
                throw new IllegalStateException("a question has no rows that could be refused or written");
            case Exchange.Result.Answered(var answer) ->
                switch (Verdict.of(answer)) {
                    case WriteOutcome.Written _ -> answer.text();
                    case WriteOutcome.Unavailable(var failure, var _) -> throw silent(replica, failure);
                    case WriteOutcome.Refused(var failure, var _) -> throw silent(replica, failure);
                    case WriteOutcome.TooLarge(var failure) -> throw silent(replica, failure);
                    case WriteOutcome.Misconfigured(var failure) -> throw silent(replica, failure);
                };
        };
    }

    private static Undecided silent(ClickHouseEndpoint replica, Failure failure) {
        return new Undecided(
                "unverified-" + failure.code(),
                "not known whether earlier attempts stored it: " + replica + ": " + failure.message());
    }
}
