package dev.millrace.config;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A ClickHouse table and how to write to it. `password` is null for a user who has none. With a `token`
/// there is neither: `user` is empty. `settings` are the server's, by name, and go with every insert.
/// `coordinates` are the columns that tell where a row came from. `verdicts` are those of the file's, in
/// its order.
public record ClickHouseConfig(
        String database,
        String table,
        String user,
        @Nullable Secret password,
        @Nullable Secret token,
        Format format,
        Compression compression,
        UnknownFields unknownFields,
        SortedMap<Coordinate, String> coordinates,
        ClientTls tls,
        SortedMap<String, String> settings,
        List<Verdict> verdicts)
        implements SinkKind {
    public ClickHouseConfig {
        Require.matches("database", Names.isIdentifier(database), database);
        Require.matches("table", Names.isIdentifier(table), table);
        coordinates = Collections.unmodifiableSortedMap(new TreeMap<>(coordinates));
        coordinates.forEach(
                (part, column) -> Require.matches("coordinates." + part.key(), Names.isIdentifier(column), column));
        Require.atLeast(
                "distinct columns of coordinates",
                coordinates.values().stream().distinct().count(),
                coordinates.size());
        Require.matches("user", user.isBlank() == (token != null), user);
        if (token != null && password != null) throw new IllegalArgumentException("a token and a password");
        settings = Collections.unmodifiableSortedMap(new TreeMap<>(settings));
        verdicts = List.copyOf(verdicts);
    }

    /// What rows are sent as: JSON_EACH_ROW, the values as they are, which the server reads; ROW_BINARY,
    /// typed by the table's columns.
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

    /// What an error of the server's says, where the file knows better: it decides whom it blames, and
    /// never whether rows may be stored. `text` is null for whatever the server says with this code.
    public record Verdict(int code, @Nullable String text, Word word) {
        public Verdict {
            Require.matches("code", code >= 1 && code <= VerdictsType.HIGHEST_CODE, Integer.toString(code));
        }
    }

    /// Whom an error blames.
    public enum Word {
        /// The rows: they are taken apart, if none of them may be stored.
        ROWS,
        /// Their number or size: they are halved, if none of them may be stored.
        SIZE,
        /// This replica: another is tried, and its breaker is told.
        REPLICA,
        /// The shard has not enough of something: it is slowed down.
        OVERLOAD,
        /// Nobody: the same is sent again after a pause.
        WAIT,
        /// Table, right or setting: the batch is held, loudly, until a person has mended it.
        SETTINGS
    }
}
