package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Coordinates.Part;
import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.Slice;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Where the rows of one batch came from: found by partition and offset, and asked for in a question.
///
/// Thread ownership: the attempt's; read by the client's while an answer arrives.
final class RowPlaces {
    /// One stretch of a partition in the batch: slices in the order of their offsets, none over another.
    private static final class Run {
        final List<Slice> slices = new ArrayList<>();
        final List<Integer> firstRows = new ArrayList<>();

        long first() {
            return first(slices.getFirst());
        }

        long last() {
            return last(slices.getLast());
        }

        static long first(Slice slice) {
            return slice.chunk().offset(slice.fromRow());
        }

        static long last(Slice slice) {
            return slice.chunk().offset(slice.toRow() - 1);
        }

        void mark(long offset, BitSet rows) {
            var low = 0;
            var high = slices.size() - 1;
            while (low <= high) {
                var middle = (low + high) >>> 1;
                var slice = slices.get(middle);
                if (offset < first(slice)) high = middle - 1;
                else if (offset > last(slice)) low = middle + 1;
                else {
                    var row = row(slice, offset);
                    if (row >= 0) rows.set(firstRows.get(middle) + row - slice.fromRow());
                    return;
                }
            }
        }

        /// The slice's row of this offset, as its chunk counts them; −1 for none.
        private static int row(Slice slice, long offset) {
            var low = slice.fromRow();
            var high = slice.toRow() - 1;
            while (low <= high) {
                var middle = (low + high) >>> 1;
                var at = slice.chunk().offset(middle);
                if (at == offset) return middle;
                if (at < offset) low = middle + 1;
                else high = middle - 1;
            }
            return -1;
        }
    }

    /// By topic and partition.
    private final Map<String, Map<Integer, List<Run>>> runs = new LinkedHashMap<>();

    /// A batch orders its rows by partition, epoch and offset, so where offsets go back another
    /// epoch begins.
    RowPlaces(BatchRows batch) {
        var row = 0;
        for (var slice : batch.slices()) {
            var place = slice.chunk().partition();
            var ofPartition = runs.computeIfAbsent(place.topic(), _ -> new LinkedHashMap<>())
                    .computeIfAbsent(place.partition(), _ -> new ArrayList<>());
            if (ofPartition.isEmpty() || ofPartition.getLast().last() >= Run.first(slice)) ofPartition.add(new Run());
            var run = ofPartition.getLast();
            run.slices.add(slice);
            run.firstRows.add(row);
            row += slice.rows();
        }
    }

    Set<String> topics() {
        return Collections.unmodifiableSet(runs.keySet());
    }

    /// Sets the numbers of the rows that came from there, if any did.
    void mark(String topic, int partition, long offset, BitSet rows) {
        for (var run : of(topic).getOrDefault(partition, List.of())) run.mark(offset, rows);
    }

    private Map<Integer, List<Run>> of(String topic) {
        return runs.getOrDefault(topic, Map.of());
    }

    /// A condition that holds for each row of the topic, and for others between them.
    String condition(String topic, Coordinates columns) {
        var partition = InsertSettings.quoted(columns.needed(Part.PARTITION));
        var offset = InsertSettings.quoted(columns.needed(Part.OFFSET));
        var places = new ArrayList<String>();
        of(topic).forEach((number, ofPartition) -> {
            for (var run : ofPartition)
                places.add("(" + partition + " = " + number + " AND " + offset + " BETWEEN " + run.first() + " AND "
                        + run.last() + ")");
        });
        return InsertSettings.quoted(columns.needed(Part.TOPIC)) + " = " + ClickHouseWriter.literal(topic) + " AND ("
                + String.join(" OR ", places) + ")";
    }
}
