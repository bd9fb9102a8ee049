package dev.millrace.config;

import java.nio.file.Path;
import java.util.Collections;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A ClickHouse table and how to write to it. `password` is null for a user who has none. `settings` are the server's,
/// by name, and go with every insert. `coordinates` are the columns that tell where a row came from.
public record ClickHouseConfig(
        String database,
        String table,
        String user,
        @Nullable Secret password,
        Format format,
        Compression compression,
        UnknownFields unknownFields,
        SortedMap<Coordinate, String> coordinates,
        Tls tls,
        SortedMap<String, String> settings)
        implements SinkKind {
    public ClickHouseConfig {
        Require.matches("database", Names.isIdentifier(database), database);
        Require.matches("table", Names.isIdentifier(table), table);
        Require.matches("user", !user.isBlank(), user);
        coordinates = Collections.unmodifiableSortedMap(new TreeMap<>(coordinates));
        coordinates.forEach(
                (part, column) -> Require.matches("coordinates." + part.key(), Names.isIdentifier(column), column));
        Require.atLeast(
                "distinct columns of coordinates",
                coordinates.values().stream().distinct().count(),
                coordinates.size());
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

    /// A part of where a row came from.
    public enum Coordinate {
        TOPIC("the topic's name"),
        PARTITION("the partition's number"),
        OFFSET("the record's offset"),
        TIMESTAMP("the record's timestamp, in milliseconds"),
        KEY("the record's key, its bytes as they are"),
        HEADERS("the record's headers, as pairs of name and value");

        private final String doc;

        Coordinate(String doc) {
            this.doc = doc;
        }

        String key() {
            return name().toLowerCase(Locale.ROOT);
        }

        String doc() {
            return doc;
        }
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
