package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.kafka.KafkaSourceSettings.OnPoison;
import dev.millrace.kafka.KafkaSourceSettings.Values;
import dev.millrace.sinkpool.MemberPlaces;
import dev.millrace.sinkpool.MemoryIntake;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class JsonFormatTest {
    @Test
    @DisplayName("FMT-2: a poison row names its reason and place, and nothing of its payload")
    void poisonNamesReasonAndPlace() {
        var format = ValueFormat.of(ValueFormat.Kind.JSON, ValueFormat.OnTombstone.SKIP);
        var record =
                new TestRecords("orders", 0).add(0, "k", "{\"secret\":oops}").at(0);
        assertThat(format.check(record)).isEqualTo(new RowEncoder.Encoded.Poison("syntax", "at byte 10 of 15"));
    }

    @Test
    @DisplayName(
            "FMT-2: an encoder learns where the members of its own record lie, and that nobody looked at raw values")
    void encodersAreToldWhereTheMembersLie() {
        assertThat(places(ValueFormat.Kind.JSON)).containsExactly("1: 6", "2: 5, 11", "1: 5");
        assertThat(places(ValueFormat.Kind.RAW)).containsExactly("none", "none", "none");
    }

    private static List<String> places(ValueFormat.Kind kind) {
        var told = new ArrayList<String>();
        var values = new Values(kind, ValueFormat.OnTombstone.SKIP, OnPoison.SKIP);
        var bench = new Bench(
                Bench.settings().values(values), List.of(Bench.sink(1, () -> new Telling(told))), new MemoryIntake());
        bench.assign(Bench.P0, 0);
        var records = new TestRecords("orders", 0)
                .add(0, "k", "{\"ab\":1}")
                .add(1, "k", "{\"a\":1,\"b\":2}")
                .add(2, "k", "{\"a\":3}");
        bench.polled(Bench.P0, records, 3);
        return told;
    }

    private record Telling(List<String> told) implements RowEncoder {
        @Override
        public Encoded encode(RecordView record, RowBuffer row) {
            told.add(text(record.members()));
            row.put((byte) '\n');
            return Encoded.WRITTEN;
        }

        private static String text(@Nullable MemberPlaces members) {
            if (members == null) return "none";
            return members.count() + ": "
                    + IntStream.range(0, members.count())
                            .mapToObj(i -> String.valueOf(members.value(i)))
                            .collect(Collectors.joining(", "));
        }
    }
}
