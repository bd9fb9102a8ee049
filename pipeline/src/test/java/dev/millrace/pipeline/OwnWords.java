package dev.millrace.pipeline;

import java.util.LinkedHashMap;
import java.util.Map;

/// What the words mean that Millrace itself gives for a failure or a poison row, and what to do: the part of
/// docs/errors.md that no code can tell.
final class OwnWords {
    record Told(String means, String remedy) {}

    private static final String GOES_ON = "none: it is tried again by itself";
    static final String AS_IT_SAYS = "as it says";
    private static final String MAKER = "mend who makes such records; the letter has the record as it was";

    private OwnWords() {}

    static Map<ExitCode, String> exitCodes() {
        var all = new LinkedHashMap<ExitCode, String>();
        all.put(
                ExitCode.DRAINED,
                "nothing that was taken is left undone; of a command that only tells: it told | nothing");
        all.put(
                ExitCode.BAD_CONFIGURATION,
                "the file, an option, a topic, a table, a right, a port or the report's path is wrong, or the demo's engine"
                        + " cannot be had: nothing was started | the line on standard error says what and where");
        all.put(
                ExitCode.LEFT_UNDONE,
                "something that was taken is left undone: it replays at the next start, or, where rows are posted, is lost | see `partitions[].blocked_by` and"
                        + " `rows` of the report; start again, or raise `drain.timeout`");
        all.put(
                ExitCode.UNKNOWN_STATE,
                "a worker could not be stopped, or its state is unknown | keep the log; start again: what is not known"
                        + " replays");
        all.put(
                ExitCode.FATAL,
                "a fault while running, or no broker in time; of `doctor`, `init`, `verify`, and what speaks to a running"
                        + " pipeline: something did not answer | the last `event=source_failed`, `fatal` or"
                        + " `worker_died` says why; see [it ends while it runs](#it-ends-while-it-runs)");
        return all;
    }

    /// What to do where the start fails as `start-failures.txt` has it.
    static Map<String, String> starts() {
        var all = new LinkedHashMap<String, String>();
        all.put("unreachable broker", "start it, open the way to it, or correct `bootstrap_servers`");
        all.put("unknown topic", "create it, correct its name, or allow DESCRIBE on it");
        all.put("a group without offsets", AS_IT_SAYS);
        all.put("missing table", "create it on every endpoint, or correct `postgres.table`");
        all.put("missing raw column", "add it, or correct `postgres.raw_column`");
        all.put("wrong password", "put the right one where `postgres.password` takes it from");
        all.put("unknown user", "create it, or correct `postgres.user`");
        all.put("missing right", "GRANT INSERT on the table, and SELECT where `on_conflict` is `ignore`");
        all.put("missing database", "create it, or correct the endpoint");
        all.put("port in use", AS_IT_SAYS);
        all.put("report's folder missing", AS_IT_SAYS);
        all.put("a part that is not built", AS_IT_SAYS);
        all.put("a dead-letter topic that forgets", AS_IT_SAYS);
        all.put("dead letters that would be read again", AS_IT_SAYS);
        all.put("client properties that do not fit each other", "correct `source.kafka.properties`");
        all.put("a client property that is not a user's", AS_IT_SAYS);
        return all;
    }

    /// Of lines that end a start or a command and name no remedy themselves.
    static Map<String, String> refusals() {
        var all = new LinkedHashMap<String, String>();
        all.put("admin.token_file … …", "one line of 16 characters or more, such as `openssl rand -hex 32` makes");
        all.put("could not … (poison.topic) at … within … ms: …", "start the brokers, or open the way to them");
        all.put("could not … at … within … ms: …", "start the brokers, or open the way to them");
        all.put(
                "group … has members and no offset for …: a start cannot be committed while another process is in it",
                "stop the other process, or use another `group_id`");
        all.put("no name for a topic: …", "correct it");
        all.put("no partition … in …: they are numbered from 0", "name one that is there");
        all.put(
                "no topic …: a pipeline makes it when it starts with poison.action: dead_letter; poison.topic names"
                        + " another",
                "start the pipeline once, or correct `poison.topic`");
        all.put("nothing came from …@… for … s", "see the brokers, and ask again");
        all.put(
                "sink …: no level is known within …, and require asks for …: …",
                "bring up the shards that do not answer, or lower `require`");
        all.put("source.kafka.properties: …", "correct the property that it names");
        all.put("source.kafka.topics matches no topic that is there", "correct the pattern, or allow DESCRIBE");
        all.put("topic … is none of source.kafka.topics", "name one that the file reads");
        all.put("unknown topic … at …", "create it, correct its name, or allow DESCRIBE on it");
        all.put("… does not allow to …: …", "allow it to the user");
        all.put(
                "… holds more than 500000 rows, too many to be worked on one by one",
                "replay by topic and partition, or mend the cause and reset the group's offsets");
        all.put("… refused the log-in: …", "correct the `sasl` settings in `source.kafka.properties`");
        all.put("…: its log was truncated below … meanwhile", "find out what was lost, and ask again");
        all.put(
                "…: the group's offset is of a topic of this name that was deleted (…; now it is …): its rows cannot be"
                        + " told from those of the new one",
                "say which offsets with --from and --to");
        return all;
    }

    /// Of lines that end a run.
    static Map<String, Told> ends() {
        var all = new LinkedHashMap<String, Told>();
        all.put(
                "dead letters are sent no more: …",
                new Told("the thread that sends them has died", "keep the log, and report it; start again"));
        all.put(
                "the worker of … died: …",
                new Told(
                        "a fault of Millrace's own; what it held replays", "keep the log, and report it; start again"));
        all.put(
                "what takes rows in for … died: …",
                new Told(
                        "a fault of Millrace's own, in an intake: what it held is lost",
                        "keep the log (`event=front_died`), and report it; start again, and post what was not answered 200"));
        all.put(
                "this group member was fenced: another process uses its group.instance.id",
                new Told("two processes have one `group.instance.id`", "give each one of its own"));
        all.put(
                "topic … is no longer the one that was read: its id was …, and is … now; nothing more of it is"
                        + " committed",
                new Told(
                        "the topic was deleted and made again: the group's offsets count records of the old one",
                        "reset the group's offsets for it, or use another group"));
        all.put(
                "topic … is no longer the one that was read: its id was …, and it is gone; nothing more of it is"
                        + " committed",
                new Told("the topic was deleted", "make it again, or take it out of the file"));
        all.put(
                "…: a batch of … rows of … waits for … s, and the sink is sure to know its token for … s only: it may"
                        + " be stored already. Store row coordinates, so that it can be looked at, widen the window,"
                        + " or set on_expired_token: resend, which may store it twice",
                new Told("an outage was longer than the sink remembers tokens", AS_IT_SAYS));
        all.put(
                "…: refused by …: …",
                new Told(
                        "a row is poison, and `poison.action` is `stop`",
                        "mend the row's maker or the table, or set another action"));
        all.put(
                "…: the log was truncated: it was read up to … and now ends, or differs, at …",
                new Told(
                        "a leader without the newest records was elected: what was stored of them is in the log no more",
                        "find out what was lost, then reset the group's offsets"));
        all.put(
                "…; on_lost_offset: continue goes on at the log's start",
                new Told(
                        "retention took records that were not read", AS_IT_SAYS + ", and raise the topic's retention"));
        all.put(
                "…@…: a range that failed has held the watermark for … s; a restart replays it",
                new Told(
                        "a batch was given up at `retry.max_attempts`, and `checkpoint.stalled_fail_after` is over",
                        "mend what refused it, and start again"));
        return all;
    }

    static Map<String, Told> failures() {
        var all = new LinkedHashMap<String, Told>();
        all.put(
                "connect",
                new Told(
                        "no connection came about, or no such host",
                        "start the server, open the way to it, correct its address"));
        all.put(
                "tls",
                new Told(
                        "the server's certificate is not trusted, or it speaks no TLS",
                        "see `tls.ca_file`, and whether the endpoint says https"));
        all.put(
                "timeout",
                new Told(
                        "no whole answer within `write.timeout`",
                        "see why the server is slow; raise `write.timeout`; lower `batch.max_rows`"));
        all.put("deadline", new Told("the attempt was over before its time was enough", "the same"));
        all.put("cancelled", new Told("the attempt was ended, at its deadline or by a drain", GOES_ON));
        all.put("interrupted", new Told("the attempt's thread was ended, by a drain", GOES_ON));
        all.put(
                "no-answer",
                new Told(
                        "the connection ended without an answer, or the answer was empty",
                        "see the server's log, and what stands before it"));
        all.put(
                "answer",
                new Told("an answer of another form than was asked for", "see what stands before the server"));
        all.put(
                "answer-cut",
                new Told("an answer that cannot be read to its end", "see what stands before the server"));
        all.put(
                "exception",
                new Told("ClickHouse told of an exception whose code cannot be read", "see the server's log"));
        all.put(
                "short-count",
                new Told(
                        "ClickHouse counted fewer rows than were sent",
                        "see the server's log; the batch is sent again under its token"));
        all.put(
                "receipt",
                new Told(
                        "what the sink says it has does not add up to the batch",
                        "see the server's log; the batch is sent again"));
        all.put(
                "not-clickhouse",
                new Told("what answers is not ClickHouse", "name the HTTP port of a ClickHouse server, 8123 or 8443"));
        all.put(
                "redirect",
                new Told("what answers points elsewhere; nothing follows it", "name the address that it points to"));
        all.put(
                "http-",
                new Told(
                        "an answer of HTTP without a code of the store's; its status stands behind",
                        "see [HTTP](#http) for the status, and what stands before the server"));
        all.put(
                "http-413",
                new Told(
                        "what stands before the server takes no request as large",
                        "lower `batch.max_bytes`, or raise the limit there; the batch is halved"));
        all.put(
                "no-password",
                new Told(
                        "the file that a secret comes from cannot be read, or is empty",
                        "put it there again; the next attempt reads it"));
        all.put(
                "no-header",
                new Told(
                        "the file that a header's value comes from cannot be read",
                        "put it there again; the next attempt reads it"));
        all.put(
                "no-session",
                new Told("no session with PostgreSQL came about, and nobody said why", "see the server's log"));
        all.put("no-sqlstate", new Told("the driver failed without a SQLSTATE", "see the server's log"));
        all.put("standby", new Told("the server is a standby", "nothing, if another endpoint is the primary"));
        all.put("read-only", new Told("the server, or its table, takes no writes now", "see why; it is asked again"));
        all.put(
                "commit-in-doubt",
                new Told(
                        "no answer to COMMIT: the rows may be stored",
                        "none: the token, or `on_conflict: ignore`, tells at the next attempt"));
        all.put(
                "commit-not-replicated",
                new Told(
                        "committed, but the wait for the standby was ended",
                        "see the standby; the batch is sent again, and known by its token"));
        all.put(
                "rows-left-out",
                new Told(
                        "the server took fewer rows than were sent: a rule or trigger leaves some out",
                        "see the table's triggers and rules"));
        all.put(
                "table-changed",
                new Told(
                        "the table is another than rows were made for",
                        "none: records are read again for the table as it is"));
        all.put("not-described", new Told("the table has not been looked at yet", GOES_ON));
        all.put(
                "columns",
                new Told(
                        "names and types of the table's columns are too long, or not what was asked for",
                        "use `format: json_each_row`"));
        all.put(
                "block",
                new Told(
                        "more rows than ClickHouse takes as one block", "lower `batch.max_rows`; the batch is halved"));
        all.put("old-server", new Told("the server is too old for what every insert needs", "use a later ClickHouse"));
        all.put("looked-at-first", new Told("a planned batch met a server that nobody had looked at", GOES_ON));
        all.put(
                "lost",
                new Told(
                        "the writer gave no outcome: a fault of the sink's code",
                        "keep the log, and report it; the batch is sent again"));
        all.put(
                "not-started",
                new Told("no thread for an attempt could be started", "see memory and limits of the process"));
        all.put(
                "writer-threw",
                new Told(
                        "the writer threw: a fault of the sink's code, or of its driver's",
                        "keep the log, and report it; the batch is sent again"));
        all.put(
                "too_large",
                new Told(
                        "one row alone is more than the store takes",
                        "raise the store's limit, or let the row stay a dead letter"));
        all.put(
                "slow_call",
                new Told(
                        "writes succeed, but more slowly than `breaker.slow_call` allows",
                        "see the server, or raise `slow_call.longer_than`"));
        all.put("quarantined", new Told("every replica of the shard is in quarantine", "`millrace release FILE …`"));
        all.put("unknown", new Told("no attempt has failed yet", "none"));
        return all;
    }

    static Map<String, Told> poison() {
        var all = new LinkedHashMap<String, Told>();
        all.put(
                "tombstone",
                new Told(
                        "the record has no value, and `on_tombstone` is `dead_letter`",
                        "set `on_tombstone: skip`, or with `raw` `row`"));
        all.put("null_value", new Told("the record has no value, and the sink's rows need one", "see `on_tombstone`"));
        all.put("empty", new Told("the value has no bytes", MAKER));
        all.put("not_an_object", new Told("the value is JSON, and no object", MAKER));
        all.put("truncated", new Told("the value's JSON ends early", MAKER));
        all.put("trailing", new Told("something stands behind the value's JSON", MAKER));
        all.put("too_deep", new Told("the value's JSON is nested deeper than 64", MAKER));
        all.put("bad_utf8", new Told("bytes that are no UTF-8", MAKER));
        all.put("lone_surrogate", new Told("half of a pair of UTF-16, which no text can hold", MAKER));
        all.put("not_a_number", new Told("NaN or Infinity, which JSON does not have", MAKER));
        all.put("bad_number", new Told("a number that JSON spells otherwise", MAKER));
        all.put("bad_escape", new Told("an escape that JSON does not have", MAKER));
        all.put("control_character", new Told("a control character in a text, not escaped", MAKER));
        all.put("syntax", new Told("the value is no JSON", MAKER));
        all.put(
                "unknown_field",
                new Told(
                        "a field that the table has no column for", "add the column, or set `unknown_fields: ignore`"));
        all.put("duplicate_key", new Told("a field stands there twice, or is a column of coordinates", MAKER));
        all.put(
                "missing",
                new Told(
                        "a column that takes no null and has no default has no field",
                        "give the column a default, or send the field"));
        all.put("null", new Told("null for a column that takes none", "let the column take null, or send a value"));
        all.put("wrong_type", new Told("a value of another type than its column's", "mend the column or the field"));
        all.put(
                "unsupported_type",
                new Told(
                        "a column of a type that no typed row can be made for",
                        "use `format: json_each_row`, or another type"));
        all.put(
                "out_of_range",
                new Told("a number that its column's range does not have", "widen the column, or mend the field"));
        all.put(
                "fraction",
                new Told(
                        "a fraction for a column of whole numbers",
                        "give the column a type with a fraction, or mend the field"));
        all.put(
                "too_precise",
                new Told("more digits behind the point than the column keeps", "widen the column, or round the field"));
        all.put("number_too_long", new Told("a number with more digits than any column keeps", MAKER));
        all.put(
                "too_long",
                new Told("a text or array that is longer than its column", "widen the column, or mend the field"));
        all.put("too_short", new Told("a text or array that is shorter than its column", "mend the field"));
        all.put("bad_format", new Told("a date, time, UUID or address that is spelled otherwise", MAKER));
        all.put(
                "has_zone",
                new Told("a time with a zone, for a column that keeps none", "mend the column or the field"));
        all.put(
                "no_zone",
                new Told("a time without a zone, for a column that needs one", "mend the column or the field"));
        all.put(
                "unknown_word",
                new Told("a word that the column's enum does not have", "add it to the enum, or mend the field"));
        all.put("nul_character", new Told("a NUL, which PostgreSQL keeps in no text", MAKER));
        all.put(
                "not_in_encoding",
                new Told("a character that the database's encoding lacks", "use a database of UTF8"));
        all.put("too_large", new Told("one row alone is more than the store takes", "raise the store's limit"));
        all.put(
                "encoder-threw",
                new Told(
                        "the encoder of a program that embeds the pool threw; the item is counted as rejected",
                        "mend that encoder: the class of what it threw is told"));
        return all;
    }
}
