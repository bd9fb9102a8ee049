package dev.millrace.clickhouse;

import dev.millrace.httpclient.Clients;
import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.Secret;
import dev.millrace.httpclient.Tls;
import dev.millrace.httpclient.Who;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What one ClickHouse sink was told to do. `extra` are settings of the user's, sent with every insert:
/// none that the sink owns. `verdicts` are the user's, which come before those of the table of codes.
///
/// Throws `IllegalArgumentException`, with the value and the bound or the reason, for what can't be.
public record ClickHouseSettings(
        String database,
        String table,
        Login login,
        Rows rows,
        Compression compression,
        Limits limits,
        Map<String, String> extra,
        List<VerdictOverride> verdicts) {
    public ClickHouseSettings {
        if (database.isEmpty()) throw new IllegalArgumentException("clickhouse.database is empty");
        if (table.isEmpty()) throw new IllegalArgumentException("clickhouse.table is empty");
        extra.keySet().forEach(InsertSettings::mustBeFree);
        // In one order, so that a request is the same in every run.
        extra = Collections.unmodifiableSortedMap(new TreeMap<>(extra));
        verdicts = List.copyOf(verdicts);
    }

    /// Its clients, none of which is connected.
    Clients clients() {
        return new Clients("clickhouse", login.tls(), limits.connectTimeout());
    }

    /// Without verdicts of the user's.
    public ClickHouseSettings(
            String database,
            String table,
            Login login,
            Rows rows,
            Compression compression,
            Limits limits,
            Map<String, String> extra) {
        this(database, table, login, rows, compression, limits, extra, List.of());
    }

    /// As whom, and over what.
    public record Login(Who who, Tls tls) {
        public Login(String user, Secret password, Tls tls) {
            this(new Who.User(user, password), tls);
        }

        /// Who writes, in words: a server knows whose a token is.
        String writer() {
            return switch (who) {
                case Who.User(var name, var _) -> name;
                case Who.Nobody _ -> "nobody";
                case Who.Bearer _ -> "the token's user";
            };
        }
    }

    /// How records become rows. `unknownFields`: what a JSON field is that no column has.
    /// `coordinates`: which columns tell where a row came from.
    public record Rows(Format format, UnknownFields unknownFields, Coordinates coordinates) {
        /// Without a column that tells where a row came from.
        public Rows(Format format, UnknownFields unknownFields) {
            this(format, unknownFields, Coordinates.NONE);
        }
    }

    /// What is sent.
    public enum Format {
        /// The record's value, a JSON object, as it is.
        JSON_EACH_ROW,
        /// Rows typed by the table's own columns.
        ROW_BINARY
    }

    /// What a field is that no column has.
    public enum UnknownFields {
        /// A refused row.
        REFUSE,
        /// Left out: by the server of a row that is sent as it is, else here.
        IGNORE
    }

    /// A connect takes at most `connectTimeout`, a whole request what its attempt is given. A
    /// shard is given
    /// `insertsPerSecond` at most.
    public record Limits(Duration connectTimeout, int insertsPerSecond) {
        private static final int INSERTS = 4;

        public Limits(Duration connectTimeout) {
            this(connectTimeout, INSERTS);
        }

        public Limits {
            if (insertsPerSecond < 1)
                throw new IllegalArgumentException("inserts per second " + insertsPerSecond + " < 1");
            if (connectTimeout.isNegative() || connectTimeout.isZero())
                throw new IllegalArgumentException("connect timeout " + connectTimeout + " is not above 0");
        }
    }
}
