package dev.millrace.postgres;

import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.WriteOutcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/// Looks at one endpoint: who answers there, whether it can be written to, its table, its clock.
/// Reads only.
///
/// Thread ownership: the thread that looks.
final class EndpointCheckup {
    /// What was found, and what there is to compare with others; null where nothing of it is known.
    record Seen(List<Finding> findings, @Nullable Facts facts) {
        Seen {
            findings = List.copyOf(findings);
        }
    }

    /// `cluster` names the data directory that it and its standbys are copies of, with the database;
    /// empty where that is not told. `unique`: no row that stands there can be stored twice.
    /// `tokens`: their table, null where it was not looked for.
    record Facts(String cluster, @Nullable TableDescription table, boolean unique, TokenTable.@Nullable Look tokens) {}

    private static final Duration CLOCKS_APART = Duration.ofSeconds(5);

    private static final String RUN_INIT =
            "run millrace init, or give its --print to who may make tables, and start the pipeline again";

    private static final String SERVER = """
            select pg_catalog.pg_is_in_recovery(), pg_catalog.current_setting('default_transaction_read_only') = 'on',
                   (extract(epoch from pg_catalog.clock_timestamp()) * 1000)::bigint,
                   pg_catalog.current_setting('fsync') = 'off', pg_catalog.current_setting('full_page_writes') = 'off',
                   exists (select from pg_catalog.pg_index i
                            where i.indrelid = pg_catalog.to_regclass(?) and i.indisunique)""";

    private static final String CLUSTER = """
            select system_identifier || '/' || (select d.oid from pg_catalog.pg_database d
                                                 where d.datname = pg_catalog.current_database())
              from pg_catalog.pg_control_system()""";

    private final PostgresSettings settings;
    private final String where;
    private final NanoClock clock;
    private final InstantSource wallClock;
    private final List<Finding> findings = new ArrayList<>();

    EndpointCheckup(PostgresSettings settings, String where, NanoClock clock, InstantSource wallClock) {
        this.settings = settings;
        this.where = where;
        this.clock = clock;
        this.wallClock = wallClock;
    }

    /// Ends at the deadline, and at most the connect time-out after it.
    Seen look(PostgresEndpoint endpoint, ScheduledExecutorService timer, long deadlineNanos) {
        var attempt = new Attempt(clock, deadlineNanos);
        var limit = attempt.atMost(settings.limits().connectTimeout());
        var logins = new Logins(endpoint, settings.login(), limit, timer);
        @Nullable Facts facts = null;
        try (var session = logins.open(attempt)) {
            session.setNetworkTimeout(Runnable::run, attempt.remainingMillis());
            var unique = server(session);
            facts = new Facts(cluster(session), null, unique, null);
            facts = table(session, facts);
        } catch (SQLException failure) {
            findings.add(silence(new Verdict(Phase.LOGIN, failure, false).outcome("", 0)));
        }
        return new Seen(findings, facts);
    }

    /// Returns whether the table has a unique index.
    private boolean server(Connection session) throws SQLException {
        try (var asked = session.prepareStatement(SERVER)) {
            asked.setString(1, settings.tableName().quoted());
            var before = wallClock.millis();
            try (var answer = asked.executeQuery()) {
                if (!answer.next()) throw new IllegalStateException("a select without a from has a row");
                clocks(before, answer.getLong(3));
                if (answer.getBoolean(1))
                    findings.add(Finding.hazard(
                            where,
                            "it is a standby: it takes no rows until it is promoted",
                            "nothing, if another endpoint of the shard is its primary; else name that"));
                else if (answer.getBoolean(2))
                    findings.add(Finding.fault(
                            where,
                            "default_transaction_read_only is on for this user or database: it takes no rows",
                            "ALTER ROLE " + new Identifier(settings.login().user()).quoted()
                                    + " SET default_transaction_read_only = off, or of the database"));
                durability(answer.getBoolean(4), answer.getBoolean(5));
                return answer.getBoolean(6);
            }
        }
    }

    private void clocks(long before, long theirs) {
        var ahead = theirs - wallClock.millis();
        var behind = before - theirs;
        var apart = Math.max(ahead, behind);
        if (apart > CLOCKS_APART.toMillis())
            findings.add(Finding.hazard(
                    where,
                    "its clock is " + apart / 1000 + " s " + (ahead > behind ? "ahead of" : "behind") + " this one's",
                    "set both by NTP: default timestamps go by it"));
    }

    private void durability(boolean noFsync, boolean tornPages) {
        if (noFsync || tornPages)
            findings.add(Finding.hazard(
                    where,
                    (noFsync ? "fsync" : "full_page_writes") + " is off: a host that crashes loses or damages rows that"
                            + " were acknowledged",
                    "turn it on"));
    }

    /// To ask for it is a right of its own at some providers.
    private static String cluster(Connection session) throws SQLException {
        try (var asked = session.prepareStatement(CLUSTER);
                var answer = asked.executeQuery()) {
            return answer.next() ? answer.getString(1) : "";
        } catch (SQLException failure) {
            if (Verdict.answered(failure)) return "";
            throw failure;
        }
    }

    /// The facts, with those of the table.
    private Facts table(Connection session, Facts facts) throws SQLException {
        var answer = Catalog.read(session, settings.tableName(), settings.rows(), settings.tokens() != null);
        return switch (answer.description()) {
            case Description.Refused(var reason) -> {
                findings.add(Finding.fault(where, reason, remedy(reason)));
                yield facts;
            }
            case Description.NotReachable(var failure) -> {
                findings.add(Finding.unreached(where, failure.message(), "look again"));
                yield facts;
            }
            case Description.Described(var table, var _, var hazards) -> {
                for (var hazard : hazards) findings.add(Finding.hazard(where, hazard, ""));
                var tokens = answer.tokens();
                if (tokens != null) tokens(tokens, new TokenTable(table.schema()));
                if (tokens instanceof TokenTable.Look.Ready)
                    findings.addAll(ForgottenTokens.of(session, new TokenTable(table.schema()), where));
                if (settings.rows().onConflict() == OnConflict.IGNORE
                        && !facts.unique()
                        && !(tokens instanceof TokenTable.Look.Ready))
                    findings.add(Finding.hazard(
                            where,
                            "table " + table + " has no unique index: on_conflict: ignore finds no repeat, and a row"
                                    + " that is sent again is stored twice",
                            "give it a primary key or a unique index that names a row"));
                yield new Facts(facts.cluster(), table, facts.unique(), tokens);
            }
        };
    }

    private void tokens(TokenTable.Look look, TokenTable table) {
        switch (look) {
            case TokenTable.Look.Ready() -> {}
            case TokenTable.Look.Absent() ->
                findings.add(Finding.hazard(
                        where, "no table " + table + ": rows that replay are not known by their tokens", RUN_INIT));
            case TokenTable.Look.Wrong(var what, var remedy) -> findings.add(Finding.fault(where, what, remedy));
        }
    }

    private String remedy(String reason) {
        if (reason.contains("does not exist"))
            return "create it, name it with its schema, or allow USAGE on that schema";
        if (reason.startsWith("no right to insert"))
            return "GRANT INSERT on it to " + new Identifier(settings.login().user()).quoted();
        if (reason.startsWith("no right to make temporary"))
            return "GRANT TEMPORARY on the database, or set on_conflict: error";
        return reason.contains("row-level security") ? "let another user write, or give this one BYPASSRLS" : "";
    }

    private Finding silence(WriteOutcome outcome) {
        return switch (outcome) {
            case WriteOutcome.Misconfigured(var failure) ->
                Finding.fault(
                        where,
                        failure.toString(),
                        "look at postgres.user, postgres.password and the database's name, and what pg_hba.conf allows");
            case WriteOutcome.Unavailable(var failure, var _) -> unreached(failure);
            case WriteOutcome.Refused(var failure, var _) -> unreached(failure);
            case WriteOutcome.TooLarge(var failure) -> unreached(failure);
            case WriteOutcome.Written _ -> throw new IllegalStateException("a failure that wrote");
        };
    }

    private Finding unreached(Failure failure) {
        return Finding.unreached(
                where,
                failure.toString(),
                "start it, open the way to it, correct the address, or look whether both sides want TLS (postgres.tls)");
    }
}
