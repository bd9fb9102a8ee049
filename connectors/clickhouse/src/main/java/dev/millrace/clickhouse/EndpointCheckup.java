package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Questions.Reply;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.WriteOutcome;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Looks at one endpoint: who answers there, its table and what is behind it, its settings and
/// rights, its clock.
///
/// What a server does not tell is a finding of its own, and ends nothing else.
///
/// Thread ownership: the thread that looks.
final class EndpointCheckup {
    /// What was found, and what there is to compare with others; null where nothing that is
    /// ClickHouse's answered.
    record Seen(List<Finding> findings, @Nullable Facts facts) {
        Seen {
            findings = List.copyOf(findings);
        }
    }

    /// `uuid` names the server, empty where it has none. `table` is null where there is none.
    /// `path` and
    /// `replica` are the table's in Keeper, empty where it is not replicated. `forgets` says which
    /// view fills a table that remembers no tokens, empty for none.
    record Facts(
            String uuid,
            String version,
            @Nullable TableFacts table,
            String path,
            String replica,
            String forgets,
            List<String> columns) {
        Facts {
            columns = List.copyOf(columns);
        }
    }

    /// One step of looking.
    @FunctionalInterface
    private interface Step {
        void look() throws InterruptedException, NotTold;
    }

    private static final Duration CLOCKS_APART = Duration.ofSeconds(5);

    /// For old servers these are no tables, columns, functions or statements.
    private static final Set<String> UNKNOWN_TO_IT = Set.of("46", "47", "60", "62", "16", "115");

    private final ClickHouseSettings settings;
    private final Questions questions;
    private final String where;
    private final InstantSource wallClock;
    private final List<Finding> findings = new ArrayList<>();
    private final TreeSet<String> untold = new TreeSet<>();
    private String version = "";
    private String uuid = "";
    private boolean lost;

    EndpointCheckup(ClickHouseSettings settings, Questions questions, String where, InstantSource wallClock) {
        this.settings = settings;
        this.questions = questions;
        this.where = where;
        this.wallClock = wallClock;
    }

    Seen look() throws InterruptedException {
        var before = wallClock.millis();
        switch (questions.ask("SELECT version(), hostName(), toUnixTimestamp(now())")) {
            case Reply.None(var outcome) -> {
                findings.add(silence(outcome));
                return new Seen(findings, null);
            }
            case Reply.Lines(var lines) -> {
                if (lines.size() != 1 || lines.getFirst().size() != 3) {
                    findings.add(stranger("an answer that is not ClickHouse's"));
                    return new Seen(findings, null);
                }
                identity(lines.getFirst(), before);
            }
        }
        step(this::uuid);
        var profile = new SettingsCheckup(settings, questions, where, findings);
        step(profile::look);
        var table = new TableCheckup(settings, questions, where, findings);
        step(table::look);
        step(() -> table.engine(profile));
        var found = table.found();
        if (found != null && found.replicated()) bugs();
        step(table::views);
        step(table::replicas);
        step(table::columns);
        step(table::typedRows);
        step(table::rights);
        step(this::quotas);
        if (!untold.isEmpty())
            findings.add(Finding.note(
                    where,
                    "it does not tell " + String.join(", ", untold),
                    "grant SELECT on these to " + settings.login().writer() + ", and look again"));
        return new Seen(
                findings,
                new Facts(uuid, version, found, table.path(), table.replica(), table.forgets(), table.columnsFound()));
    }

    private void step(Step step) throws InterruptedException {
        if (lost) return;
        try {
            step.look();
        } catch (NotTold not) {
            var failure = failure(not.outcome());
            if (UNKNOWN_TO_IT.contains(failure.code())) return;
            if (failure.code().matches("\\d+")) {
                untold.add(not.of());
                return;
            }
            lost = true;
            findings.add(Finding.unreached(
                    where,
                    "it answered, and then no more, asked for " + not.of() + ": " + failure.message() + " ("
                            + failure.code() + ")",
                    "look again, and give it longer with --timeout"));
        }
    }

    private void identity(List<String> told, long before) {
        version = told.getFirst();
        if (!told.get(2).matches("\\d{1,12}")) return;
        var said = Long.parseLong(told.get(2)) * 1000;
        var ahead = said - wallClock.millis();
        var behind = before - (said + 999);
        var apart = Math.max(ahead, behind);
        if (apart > CLOCKS_APART.toMillis())
            findings.add(Finding.hazard(
                    where,
                    "its clock is " + apart / 1000 + " s " + (ahead > behind ? "ahead of" : "behind") + " this one's",
                    "set both by NTP: the age of tokens, TTL and default timestamps go by it"));
    }

    private void bugs() {
        for (var bug : LossBugs.of(version))
            findings.add(Finding.hazard(where, "ClickHouse " + version + ": " + bug.what(), bug.remedy()));
    }

    private void uuid() throws InterruptedException, NotTold {
        var told = questions.lines("its identity", 1, "SELECT toString(serverUUID())");
        if (told.isEmpty()) return;
        var text = told.getFirst().getFirst();
        if (!text.replace("-", "").matches("0*")) uuid = text;
    }

    /// To see it is a right that few users have, and none that is missed.
    private void quotas() throws InterruptedException {
        var told = questions.ask("SELECT quota_name, duration, max_query_inserts, max_written_bytes"
                + " FROM system.quota_usage WHERE max_query_inserts > 0 OR max_written_bytes > 0 LIMIT 1");
        if (!(told instanceof Reply.Lines(var lines))
                || lines.isEmpty()
                || lines.getFirst().size() != 4) return;
        var row = lines.getFirst();
        findings.add(Finding.hazard(
                where,
                "quota " + row.getFirst() + " lets " + settings.login().writer() + " make "
                        + row.get(2).replace("\\N", "any number of") + " inserts and write "
                        + row.get(3).replace("\\N", "any number of") + " bytes in " + row.get(1) + " s",
                "give it a quota that is above what the topics bring"));
    }

    private Finding silence(WriteOutcome outcome) {
        var failure = failure(outcome);
        return switch (failure.code()) {
            case "not-clickhouse", "redirect" -> stranger(failure.message());
            case "tls" ->
                Finding.fault(
                        where,
                        failure.message(),
                        "look at the server's certificate and at clickhouse.tls, or use http");
            default ->
                outcome instanceof WriteOutcome.Misconfigured
                        ? Finding.fault(
                                where,
                                failure.message() + " (" + failure.code() + ")",
                                "look at clickhouse.user and clickhouse.password, or the token, and at what the user may do")
                        : Finding.unreached(
                                where,
                                failure.message() + " (" + failure.code() + ")",
                                "start it, open the way to its HTTP port, or correct the address");
        };
    }

    private Finding stranger(String what) {
        return Finding.fault(
                where,
                what,
                "name the HTTP port of a ClickHouse server: 8123, or 8443 with https, unless it was changed");
    }

    private static Failure failure(WriteOutcome outcome) {
        return switch (outcome) {
            case WriteOutcome.Unavailable(var failure, var _) -> failure;
            case WriteOutcome.Refused(var failure, var _) -> failure;
            case WriteOutcome.TooLarge(var failure) -> failure;
            case WriteOutcome.Misconfigured(var failure) -> failure;
            case WriteOutcome.Written _ -> throw new IllegalStateException("an answer is no silence");
        };
    }
}
