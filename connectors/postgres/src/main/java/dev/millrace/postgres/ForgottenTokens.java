package dev.millrace.postgres;

import dev.millrace.sinkpool.Finding;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Tokens of pipelines and sinks that write here no more: nobody prunes them (OPS-14).
final class ForgottenTokens {
    /// Whoever writes under a name writes more than once in so long.
    private static final int DAYS = 30;

    private static final int MOST = 10;

    /// It reads the whole table, which is large only where there are many partitions.
    private static final Duration LIMIT = Duration.ofSeconds(2);

    private static final String ASK = """
            select s.pipeline, s.sink, count(*), (extract(epoch from pg_catalog.now() - max(s.at)) / 86400)::bigint
              from SEGMENTS s
             group by s.pipeline, s.sink
            having max(s.at) < pg_catalog.now() - interval '1 day' * ?
             order by s.pipeline, s.sink limit ?""";

    private ForgottenTokens() {}

    /// A note for each pipeline and sink, at most ten. Blocks for at most two seconds.
    ///
    /// Nothing rests on it: a table too large to be read in that time is left alone.
    static List<Finding> of(Connection session, TokenTable table, String where) throws SQLException {
        var findings = new ArrayList<Finding>();
        try (var asked = session.prepareStatement(ASK.replace("SEGMENTS", table.quotedName()))) {
            asked.setQueryTimeout(Math.toIntExact(LIMIT.toSeconds()));
            asked.setInt(1, DAYS);
            asked.setInt(2, MOST);
            try (var answer = asked.executeQuery()) {
                while (answer.next())
                    findings.add(Finding.note(
                            where,
                            "table " + table + " holds " + answer.getLong(3) + " tokens of pipeline "
                                    + answer.getString(1) + ", sink " + answer.getString(2)
                                    + ", which has stored nothing"
                                    + " for " + answer.getLong(4) + " days",
                            "if it runs no more and none of its rows is to come again: delete from "
                                    + table.quotedName() + " where that pipeline and sink stand"));
            }
        } catch (SQLException failure) {
            if (!Verdict.answered(failure)) throw failure;
        }
        return findings;
    }
}
