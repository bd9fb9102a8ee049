package dev.millrace.clickhouse;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

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
                case Who.Bearer _ -> "the token's user";
            };
        }
    }

    /// As whom. A secret is asked for at every request, so that a rotated one is taken up. Prints none.
    public sealed interface Who {
        /// By name and password.
        record User(String name, Secret password) implements Who {
            public User {
                if (name.isEmpty() || name.indexOf(':') >= 0)
                    throw new IllegalArgumentException("clickhouse.user is empty or holds a colon");
            }

            @Override
            public String toString() {
                return "User[name=" + name + ", password=***]";
            }
        }

        /// By what a token says.
        record Bearer(Secret token) implements Who {
            @Override
            public String toString() {
                return "Bearer[token=***]";
            }
        }
    }

    /// Where a password or token comes from.
    @FunctionalInterface
    public interface Secret {
        /// The secret itself. Empty for a user who has none.
        String reveal();
    }

    /// How `https` endpoints are checked, and how the sink shows who it is.
    ///
    /// Certificate and host name are checked against the authorities in `caFile` or, without one, the
    /// JDK's. `keyFile` and `certFile` are PEM, for mutual TLS.
    public record Tls(
            @Nullable Path caFile,
            @Nullable Path certFile,
            @Nullable Path keyFile) {
        public static final Tls DEFAULTS = new Tls(null, null, null);

        public Tls {
            if ((certFile == null) != (keyFile == null))
                throw new IllegalArgumentException("clickhouse.tls: cert_file and key_file go together");
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

    /// How a body is compressed.
    public enum Compression {
        NONE(""),
        LZ4("lz4"),
        ZSTD("zstd");

        /// As `Content-Encoding` names it; empty for none.
        final String encoding;

        Compression(String encoding) {
            this.encoding = encoding;
        }
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
