package dev.millrace.postgres;

import dev.millrace.json.IgnoredFields;
import dev.millrace.json.JsonFields;
import dev.millrace.json.Reasons;
import dev.millrace.postgres.PostgresSettings.UnknownFields;
import dev.millrace.postgres.TableDescription.Column;
import dev.millrace.sinkpool.Layouts.Layout;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A JSON object as a row of COPY text: top-level fields to columns of the same name.
///
/// A value goes into its column only if the column keeps it as it is: see [Fit]. Else the row is poison,
/// for a reason of [Reasons]; nothing is coerced. A missing field and `null` are null, a column's default
/// is never taken; where the column takes no null, they are poison.
///
/// The parser finds where each field's value begins; the bytes then go from the record to the row, in the
/// columns' order, without a string between.
///
/// Thread ownership: the source thread.
final class JsonRowEncoder implements RowEncoder {
    private final Column[] columns;
    private final int layout;
    private final JsonFields fields;
    private final JsonValue value;

    /// `gone` are columns that the table had before.
    JsonRowEncoder(Layout<TableDescription> of, UnknownFields unknownFields, IgnoredFields ignored, Set<String> gone) {
        var table = of.description();
        layout = of.number();
        columns = table.columns().toArray(Column[]::new);
        // `jsonb` would keep the last of two keys.
        fields = new JsonFields(
                table.columns().stream()
                        .map(column ->
                                new JsonFields.Field(column.name(), column.fit().kind() == Fit.Kind.JSONB))
                        .toList(),
                switch (unknownFields) {
                    case REFUSE -> JsonFields.Unknown.REFUSE;
                    case IGNORE -> JsonFields.Unknown.IGNORE;
                },
                ignored,
                gone);
        value = new JsonValue(table.encoding());
    }

    @Override
    public Encoded encode(RecordView record, RowBuffer row) {
        var poison = fields.locate(record);
        if (poison != null) return poison;
        var source = record.valueArray();
        for (var i = 0; i < columns.length; i++) {
            if (i > 0) row.put(CopyText.TAB);
            var reason = put(source, i, row);
            if (reason != null) return new Encoded.Poison(reason, "in the value for column " + columns[i].name());
        }
        row.put(CopyText.END);
        return Encoded.WRITTEN;
    }

    @Override
    public @Nullable String waitsFor(RecordView record) {
        return fields.waitsFor(record);
    }

    @Override
    public int layout() {
        return layout;
    }

    private @Nullable String put(byte[] source, int position, RowBuffer row) {
        var column = columns[position];
        var start = fields.start(position);
        if (start >= 0 && source[start] != 'n') return value.put(source, start, column.fit(), row);
        if (column.required()) return start < 0 ? Reasons.MISSING : Reasons.NULL;
        CopyText.putNull(row);
        return null;
    }
}
