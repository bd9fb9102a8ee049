package dev.millrace.postgres;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What one PostgreSQL sink was told to do.
///
/// `table` is `name` or `schema.name`, taken letter by letter (no folding to lower case); a part
/// that is not made of letters, digits, `_` and `$` stands in double quotes, as in SQL. With
/// `tokens` each batch's token is entered in the transaction of its rows. Throws
/// `IllegalArgumentException`, with the value and the bound, for what can't be.
public record PostgresSettings(
        String table,
        Login login,
        Rows rows,
        Limits limits,
        @Nullable Tokens tokens) {
    public PostgresSettings {
        TableName.parse(table);
    }

    /// Without tokens.
    public PostgresSettings(String table, Login login, Rows rows, Limits limits) {
        this(table, login, rows, limits, null);
    }

    TableName tableName() {
        return TableName.parse(table);
    }

    /// As whom, and over what, the sink logs in. Prints no secret.
    public record Login(String user, Password password, Tls tls) {
        public Login {
            if (user.isEmpty() || user.indexOf('\0') >= 0)
                throw new IllegalArgumentException("postgres.user is empty or holds a NUL");
        }

        @Override
        public String toString() {
            return "Login[user=" + user + ", password=***, tls=" + tls + "]";
        }
    }

    /// How the line is protected.
    public sealed interface Tls {
        /// Plain text. For loopback, or where something else protects the line.
        record Off() implements Tls {}

        /// Certificate and host name are checked, against the authorities in `caFile` or, without
        /// one, the JDK's.
        record VerifyFull(@Nullable Path caFile) implements Tls {}
    }

    /// How a record becomes a row, and what a row that is there already is.
    ///
    /// With `rawColumn` the record's value goes into that column as it is, and the other columns
    /// take their defaults; without, the value is a JSON object whose fields are columns.
    public record Rows(
            OnConflict onConflict,
            UnknownFields unknownFields,
            @Nullable String rawColumn) {
        public Rows {
            if (rawColumn != null) new Identifier(rawColumn);
        }
    }

    /// What a row is that breaks a unique constraint.
    public enum OnConflict {
        /// A refused row.
        ERROR,
        /// A duplicate, which counts as stored (PG-4). Needs the right to make temporary tables.
        IGNORE
    }

    /// What a field is that has no column.
    public enum UnknownFields {
        /// Poison.
        REFUSE,
        /// Left out.
        IGNORE
    }

    /// How tokens are kept, which name what is stored: for delivery that is effectively once.
    ///
    /// Each batch is rows of one partition then. `keptSegments` is at least the most segments of
    /// one partition that a plan can hold: of so many, the newest, the tokens are kept whatever
    /// their age.
    public record Tokens(String pipeline, int keptSegments) {
        public Tokens {
            if (pipeline.isEmpty() || pipeline.indexOf('\0') >= 0)
                throw new IllegalArgumentException("the pipeline's name is empty or holds a NUL");
            if (keptSegments < 1) throw new IllegalArgumentException("kept segments " + keptSegments + " < 1");
        }
    }

    /// Bounds. `maxPerShard` writes go to one endpoint at a time. A login, and the wait for a
    /// session, takes at most
    /// `connectTimeout`, which is below `writeTimeout`: what an attempt is given in all.
    public record Limits(int maxPerShard, Duration connectTimeout, Duration writeTimeout) {
        private static final Duration LEAST_CONNECT = Duration.ofMillis(250);
        private static final Duration MOST = Duration.ofHours(1);

        public Limits {
            if (maxPerShard < 1) throw new IllegalArgumentException("max_per_shard " + maxPerShard + " < 1");
            if (connectTimeout.compareTo(LEAST_CONNECT) < 0 || connectTimeout.compareTo(MOST) > 0)
                throw new IllegalArgumentException("connect timeout " + connectTimeout + " not in [250 ms, 1 h]");
            if (writeTimeout.compareTo(connectTimeout) <= 0 || writeTimeout.compareTo(MOST) > 0)
                throw new IllegalArgumentException("write timeout " + writeTimeout + " not above the connect timeout "
                        + connectTimeout + ", or above 1 h");
        }
    }
}
