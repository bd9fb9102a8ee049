package dev.millrace.clickhouse;

import dev.millrace.clickhouse.TableLayout.Absent;
import dev.millrace.clickhouse.TableLayout.Column;
import dev.millrace.clickhouse.TableLayout.Origin;
import dev.millrace.json.JsonFields;
import dev.millrace.json.Reasons;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;
import java.util.ArrayList;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A JSON object as a row of RowBinary: top-level fields to columns of the same name.
///
/// A value goes into its column only if the column keeps it as it is: see [Cell]. Else the row is poison,
/// for a reason of [Reasons]; nothing is coerced. A missing field is its column's default where the table
/// has one, null where the column takes null, and poison anywhere else. `null` is null, never a default.
/// A field may not stand for a coordinate of the record.
///
/// The parser finds where each field's value begins; the bytes then go from the record to the row, in the
/// columns' order, without a string between.
///
/// Thread ownership: the source thread.
final class BinaryRowEncoder implements RowEncoder {
    private static final byte NO = 0;
    private static final byte YES = 1;

    private final int number;
    private final Column[] columns;
    /// Of columns that take a field; null for others.
    private final @Nullable Cell[] cells;

    private final @Nullable CoordinateCell[] coordinates;
    private final boolean marks;
    private final JsonFields fields;

    BinaryRowEncoder(int number, TableLayout layout, Cells made, Set<String> gone) {
        this.number = number;
        columns = layout.columns().toArray(Column[]::new);
        cells = new @Nullable Cell[columns.length];
        coordinates = new @Nullable CoordinateCell[columns.length];
        var names = new ArrayList<JsonFields.Field>();
        for (var i = 0; i < columns.length; i++) {
            switch (columns[i].origin()) {
                case Origin.Field() -> {
                    var cell = made.of(columns[i].type());
                    if (cell == null) throw new IllegalArgumentException("no value goes into " + columns[i]);
                    cells[i] = cell;
                    names.add(new JsonFields.Field(columns[i].name(), cell.holdsObjects()));
                }
                case Origin.Coordinate(var part) -> {
                    coordinates[i] = new CoordinateCell(part, columns[i].type());
                    names.add(new JsonFields.Field(columns[i].name(), false));
                }
            }
        }
        marks = layout.marks();
        fields = new JsonFields(names, made.unknown(), made.ignored(), gone);
    }

    @Override
    public Encoded encode(RecordView record, RowBuffer row) {
        var poison = fields.locate(record);
        if (poison != null) return poison;
        var source = record.valueArray();
        for (var i = 0; i < columns.length; i++) {
            var reason = put(source, record, i, row);
            if (reason != null) return new Encoded.Poison(reason, "in the value for column " + columns[i].name());
        }
        return Encoded.WRITTEN;
    }

    @Override
    public @Nullable String waitsFor(RecordView record) {
        return fields.waitsFor(record);
    }

    @Override
    public int layout() {
        return number;
    }

    private @Nullable String put(byte[] source, RecordView record, int position, RowBuffer row) {
        var start = fields.start(position);
        var cell = cells[position];
        if (cell == null) {
            if (start >= 0) return Reasons.DUPLICATE_KEY;
            putCoordinate(record, position, row);
            return null;
        }
        if (start < 0) return putAbsent(columns[position].absent(), row);
        if (marks) row.put(NO);
        return cell.put(source, start, fields.end(position), row);
    }

    private void putCoordinate(RecordView record, int position, RowBuffer row) {
        if (marks) row.put(NO);
        Objects.requireNonNull(coordinates[position]).put(record, row);
    }

    private @Nullable String putAbsent(Absent absent, RowBuffer row) {
        return switch (absent) {
            case REFUSED -> Reasons.MISSING;
            case NULL -> {
                if (marks) row.put(NO);
                row.put(YES);
                yield null;
            }
            case DEFAULT -> {
                row.put(YES);
                yield null;
            }
        };
    }
}
