package dev.millrace.clickhouse;

import dev.millrace.json.IgnoredFields;
import dev.millrace.json.JsonFields;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The columns that typed rows are sent for, as the servers described them: the statement, the header of
/// a body and what makes a row of a record all come from one of these, so that they can't differ.
///
/// The header names each column with its type. A server whose table has become another refuses the whole
/// body by it, before it reads a row.
///
/// `utc`: the servers' own zone is UTC. `marks`: each value is preceded by whether it is the
/// column's default.
public record TableLayout(List<Column> columns, boolean utc, boolean marks) {
    public TableLayout {
        columns = List.copyOf(columns);
        if (columns.isEmpty()) throw new IllegalArgumentException("no column is sent");
    }

    /// `type` is the server's spelling.
    public record Column(String name, String type, Origin origin, Absent absent) {}

    /// Where a column's value comes from.
    public sealed interface Origin {
        /// The field of the record's value that has the column's name.
        record Field() implements Origin {}

        /// Where the record came from. A field of the column's name may not stand for it.
        record Coordinate(Coordinates.Part part) implements Origin {}
    }

    /// What a column is that a record has no value for.
    public enum Absent {
        /// Poison.
        REFUSED,
        /// Null.
        NULL,
        /// What the table's own expression gives.
        DEFAULT
    }

    /// Whether the same rows are made for both: the order of columns is nothing to the table.
    boolean alike(@Nullable TableLayout other) {
        return other != null
                && utc == other.utc
                && marks == other.marks
                && Set.copyOf(columns).equals(Set.copyOf(other.columns));
    }

    String format() {
        return marks ? "RowBinaryWithNamesAndTypesAndDefaults" : "RowBinaryWithNamesAndTypes";
    }

    /// The columns' names, quoted, with commas between.
    String quotedColumns() {
        return columns.stream()
                .map(column -> InsertSettings.quoted(column.name()))
                .collect(Collectors.joining(", "));
    }

    /// What stands before the rows of every body.
    byte[] header() {
        var bytes = new ByteArrayOutputStream();
        putLength(columns.size(), bytes);
        for (var column : columns) putText(column.name(), bytes);
        for (var column : columns) putText(column.type(), bytes);
        return bytes.toByteArray();
    }

    private static void putText(String text, ByteArrayOutputStream bytes) {
        var utf8 = text.getBytes(StandardCharsets.UTF_8);
        putLength(utf8.length, bytes);
        bytes.writeBytes(utf8);
    }

    private static void putLength(int length, ByteArrayOutputStream bytes) {
        var rest = length;
        for (; rest >= 0x80; rest >>>= 7) bytes.write(rest | 0x80);
        bytes.write(rest);
    }

    /// The columns' names.
    List<String> names() {
        return columns.stream().map(Column::name).toList();
    }

    /// `number` is this layout's. `gone` are columns that the table had before.
    BinaryRowEncoder encoder(int number, JsonFields.Unknown unknown, IgnoredFields ignored, Set<String> gone) {
        return new BinaryRowEncoder(number, this, new Cells(utc, unknown, ignored), gone);
    }
}
