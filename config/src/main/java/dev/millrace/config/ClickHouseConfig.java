package dev.millrace.config;

import java.nio.file.Path;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A ClickHouse table and how to write to it. `password` is null for a user who has none. `settings` are the server's,
/// by name, and go with every insert.
public record ClickHouseConfig(
        String database,
        String table,
        String user,
        @Nullable Secret password,
        Format format,
        Compression compression,
        UnknownFields unknownFields,
        Tls tls,
        SortedMap<String, String> settings)
        implements SinkKind {
    public ClickHouseConfig {
        Require.matches("database", Names.isIdentifier(database), database);
        Require.matches("table", Names.isIdentifier(table), table);
        Require.matches("user", !user.isBlank(), user);
        settings = Collections.unmodifiableSortedMap(new TreeMap<>(settings));
    }

    /// What rows are sent as: JSON_EACH_ROW, the values as they are, which the server reads; ROW_BINARY, typed by the
    /// table's columns.
    public enum Format {
        JSON_EACH_ROW,
        ROW_BINARY
    }

    /// How the rows are packed on their way.
    public enum Compression {
        NONE,
        LZ4,
        ZSTD
    }

    /// What a field without a column does: REFUSE makes the row a bad one, IGNORE leaves it out.
    public enum UnknownFields {
        REFUSE,
        IGNORE
    }

    /// PEM files for `https` endpoints: the authorities to trust, without them the JDK's, and what the sink shows of
    /// itself.
    public record Tls(
            @Nullable Path caFile,
            @Nullable Path certFile,
            @Nullable Path keyFile) {
        public Tls {
            if ((certFile == null) != (keyFile == null))
                throw new IllegalArgumentException("certFile and keyFile go together");
        }
    }
}
