package dev.millrace.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// A PostgreSQL table and how to write to it. `rawColumn` takes the whole value of format `raw`; null with any other
/// format.
public record PostgresConfig(
        TableName table,
        String user,
        Secret password,
        OnConflict onConflict,
        UnknownFields unknownFields,
        @Nullable String rawColumn,
        Tls tls)
        implements SinkKind {
    public PostgresConfig {
        Require.matches("user", !user.isBlank(), user);
        if (rawColumn != null) Require.matches("rawColumn", Names.isIdentifier(rawColumn), rawColumn);
    }

    /// What a row that is there already does: ERROR refuses its batch, IGNORE counts it as a duplicate.
    public enum OnConflict {
        ERROR,
        IGNORE
    }

    /// What a field without a column does: REFUSE makes the row a bad one, IGNORE leaves the field out.
    public enum UnknownFields {
        REFUSE,
        IGNORE
    }

    /// `table` or `schema.table`, both plain identifiers; without a schema the server's search path decides.
    public record TableName(@Nullable String schema, String table) {
        public TableName {
            if (schema != null) Require.matches("schema", Names.isIdentifier(schema), schema);
            Require.matches("table", Names.isIdentifier(table), table);
        }

        /// Null for what is neither `table` nor `schema.table`.
        static @Nullable TableName parse(String text) {
            int dot = text.indexOf('.');
            var schema = dot < 0 ? null : text.substring(0, dot);
            var table = text.substring(dot + 1);
            boolean fits = (schema == null || Names.isIdentifier(schema)) && Names.isIdentifier(table);
            return fits ? new TableName(schema, table) : null;
        }

        @Override
        public String toString() {
            return schema == null ? table : schema + "." + table;
        }
    }

    /// Whether the connection is encrypted.
    public sealed interface Tls {
        record Off() implements Tls {}

        /// Encrypted, the server's certificate and host name checked against the authorities in `caFile` (PEM).
        record VerifyFull(Path caFile) implements Tls {}
    }
}
