package dev.millrace.clickhouse;

import dev.millrace.clickhouse.TableLayout.Absent;
import dev.millrace.clickhouse.TableLayout.Column;
import dev.millrace.json.JsonFields;
import dev.millrace.json.Reasons;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A JSON object as a row of RowBinary: top-level fields to columns of the same name.
///
/// A value goes into its column only if the column keeps it as it is: see [Cell]. Else the row is poison, for a
/// reason of [Reasons]; nothing is coerced. A missing field is its column's default where the table has one, null where
/// the column takes null, and poison anywhere else. `null` is null, never a default.
///
/// The parser finds where each field's value begins; the bytes then go from the record to the row, in the
/// columns' order, without a string between.
///
/// Thread ownership: the source thread.
final class BinaryRowEncoder implements RowEncoder {
    private static final byte NO = 0;
    private static final byte YES = 1;

    private final Column[] columns;
    private final Cell[] cells;
    private final boolean marks;
    private final JsonFields fields;

    BinaryRowEncoder(TableLayout layout, Cells made) {
        columns = layout.columns().toArray(Column[]::new);
        cells = layout.columns().stream().map(column -> cell(column, made)).toArray(Cell[]::new);
        marks = layout.marks();
        fields = new JsonFields(fields(layout.columns()), made.unknown(), made.ignored());
    }

    private static Cell cell(Column column, Cells made) {
        var cell = made.of(column.type());
        if (cell == null) throw new IllegalArgumentException(column + " is of a type that no value goes into");
        return cell;
    }

    private List<JsonFields.Field> fields(List<Column> sent) {
        return IntStream.range(0, sent.size())
                .mapToObj(i -> new JsonFields.Field(sent.get(i).name(), cells[i].holdsObjects()))
                .toList();
    }

    @Override
    public Encoded encode(RecordView record, RowBuffer row) {
        var poison = fields.locate(record);
        if (poison != null) return poison;
        var source = record.valueArray();
        for (var i = 0; i < columns.length; i++) {
            var reason = put(source, i, row);
            if (reason != null) return new Encoded.Poison(reason, "in the value for column " + columns[i].name());
        }
        return Encoded.WRITTEN;
    }

    private @Nullable String put(byte[] source, int position, RowBuffer row) {
        var start = fields.start(position);
        if (start < 0) return putAbsent(columns[position].absent(), row);
        if (marks) row.put(NO);
        return cells[position].put(source, start, row);
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
