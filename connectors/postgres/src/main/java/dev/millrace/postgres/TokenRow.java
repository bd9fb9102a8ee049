package dev.millrace.postgres;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.WriteCall;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.BitSet;

/// The token of one write, in the transaction of its rows.
///
/// Invariant: rows are stored only in a transaction that holds the lock of their batch, found no token
/// that names them, and enters one that does. So a row of a batch stands once, whatever whole or parts
/// of it come, in whatever order, from however many connections (EO-7, EO-13).
///
/// Thread ownership: the attempt's thread.
final class TokenRow {
    private final TokenTable table;
    private final String pipeline;
    private final ShardId shard;
    private final TokenKey key;
    private final BatchRows batch;
    private final int rows;

    private TokenRow(TokenTable table, String pipeline, WriteCall call) {
        this.table = table;
        this.pipeline = pipeline;
        shard = call.batch().shard();
        key = TokenKey.of(call.token());
        batch = call.batch().rows();
        rows = call.rows().rows();
    }

    /// Throws `IllegalArgumentException` where the token names other rows than the call has: that
    /// is a bug, and rows would be lost by it.
    static TokenRow of(TokenTable table, String pipeline, WriteCall call) {
        var token = call.token();
        var named = token.whole() ? call.batch().rows().rows() : token.toRow() - token.fromRow();
        if (named != call.rows().rows())
            throw new IllegalArgumentException("token " + token + " names " + named + " rows of "
                    + call.rows().rows());
        return new TokenRow(table, pipeline, call);
    }

    /// What a transaction begins with that is to hold the lock. Before any query.
    ///
    /// The tokens are read after the lock is held, and only this level reads what was committed
    /// meanwhile: a role or a database may have another for its default.
    static String isolation() {
        return "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";
    }

    /// Waits for whoever writes rows of this batch, also for a server process whose client is
    /// gone: until it has ended, nobody knows which rows are in. A statement of its own, as the
    /// next one must see what was committed meanwhile.
    String lock() {
        return "SELECT pg_catalog.pg_advisory_xact_lock(" + key.lock() + ")";
    }

    /// Which of the rows no token names, from 0.
    BitSet missing(Connection session) throws SQLException {
        var missing = new BitSet(rows);
        missing.set(0, rows);
        try (var asked =
                session.prepareStatement("SELECT token FROM " + table.quotedName() + " WHERE token BETWEEN ? AND ?")) {
            asked.setBytes(1, key.first());
            asked.setBytes(2, key.last());
            try (var found = asked.executeQuery()) {
                while (found.next()) key.known(found.getBytes(1), missing);
            }
        }
        return missing;
    }

    void enter(Connection session) throws SQLException {
        try (var entered = session.prepareStatement("INSERT INTO " + table.quotedName()
                + " (token, pipeline, sink, shard, topic_id, part, seg_end, at)"
                + " VALUES (?, ?, ?, ?, ?, ?, ?, pg_catalog.now())")) {
            entered.setBytes(1, key.bytes());
            place(entered);
            entered.executeUpdate();
        }
    }

    private void place(PreparedStatement entered) throws SQLException {
        var partition = partition();
        entered.setString(2, pipeline);
        entered.setString(3, shard.sink());
        entered.setString(4, shard.shard());
        entered.setString(5, partition.topicId().text());
        entered.setInt(6, partition.partition());
        entered.setLong(7, end());
    }

    /// All rows are in. Written nevertheless, or the answer to COMMIT would not mean that a
    /// standby which must have them has them: a transaction that writes nothing waits for nobody.
    void seenAgain(Connection session) throws SQLException {
        try (var touched = session.prepareStatement(
                "UPDATE " + table.quotedName() + " SET at = pg_catalog.now() WHERE token BETWEEN ? AND ?")) {
            touched.setBytes(1, key.first());
            touched.setBytes(2, key.last());
            touched.executeUpdate();
        }
    }

    TokenTable table() {
        return table;
    }

    /// Of the whole batch: it has one.
    SourcePartition partition() {
        return batch.slices().getFirst().chunk().partition();
    }

    /// One past the last offset of the whole batch, so that its parts have the same.
    private long end() {
        var partition = partition();
        return batch.slices().stream()
                        .filter(slice -> slice.chunk().partition().equals(partition))
                        .mapToLong(slice -> slice.chunk().offset(slice.toRow() - 1))
                        .max()
                        .orElseThrow()
                + 1;
    }
}
