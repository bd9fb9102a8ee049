package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.pipeline.AuditWindow.Absence;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/// The audit's arithmetic against one that looks at each offset by itself.
class AuditWindowTest {
    private static final int SHARDS = 3;
    private static final int ROUNDS = 2_000;

    /// What the truth is of one offset: whether the log has a record, of which shard, why it may
    /// have no row, whether the log lost it; how many rows each shard has.
    private record Place(boolean record, int shard, Absence why, boolean gone, List<Integer> rows) {}

    @Test
    @DisplayName("EO-12: what is missing, doubled and extra adds up, over any number of windows, as when each offset is"
            + " looked at alone")
    void anAuditAddsUp() {
        for (var seed = 0; seed < ROUNDS; seed++) {
            var random = new Random(seed);
            var places = IntStream.range(0, 1 + random.nextInt(60))
                    .mapToObj(_ -> place(random))
                    .toList();
            var audits = IntStream.range(0, SHARDS)
                    .mapToObj(shard -> new ShardAudit("s" + shard))
                    .toList();
            var first = random.nextInt(1_000);
            var compacted = random.nextBoolean();
            var sums = new long[2];
            for (var from = 0; from < places.size(); ) {
                var to = Math.min(places.size(), from + 1 + random.nextInt(20));
                var window = window(places, first, from, to, audits, compacted);
                sums[0] += window.unknown();
                sums[1] += window.compactedRows();
                from = to;
            }
            for (var shard = 0; shard < SHARDS; shard++) {
                var told = audits.get(shard).told();
                assertThat(told).as("seed %s", seed).isEqualTo(expected(places, first, shard, compacted));
                assertThat(told.expected()).isEqualTo(told.found() + told.missing());
            }
            assertThat(sums[0])
                    .as("seed %s", seed)
                    .isEqualTo(places.stream().filter(Place::gone).count());
            assertThat(sums[1])
                    .as("seed %s", seed)
                    .isEqualTo(
                            compacted
                                    ? places.stream()
                                            .filter(place -> !place.gone() && !place.record())
                                            .flatMap(place -> place.rows().stream())
                                            .mapToInt(Integer::intValue)
                                            .sum()
                                    : 0);
        }
    }

    private static Place place(Random random) {
        var rows = random.ints(SHARDS, 0, 6)
                .mapToObj(chance -> chance > 2 ? 0 : chance + 1)
                .toList();
        var why = List.of(Absence.values()).get(random.nextInt(Absence.values().length));
        var gone = random.nextInt(10) == 0;
        return new Place(!gone && random.nextInt(10) > 0, random.nextInt(SHARDS), why, gone, rows);
    }

    private static AuditWindow window(
            List<Place> places, int first, int from, int to, List<ShardAudit> audits, boolean compacted) {
        var window = new AuditWindow(first + from, to - from, audits, compacted);
        for (var i = from; i < to; i++)
            for (var shard = 0; shard < SHARDS; shard++)
                window.stored(shard)[i - from] = places.get(i).rows().get(shard);
        var records = 0;
        for (var i = from; i < to; i++) {
            var place = places.get(i);
            if (place.gone()) window.gone(first + i, first + i + 1);
            if (!place.record()) continue;
            records++;
            if (window.isStored(first + i, place.shard())) window.found(first + i, place.shard());
            else window.absent(place.shard(), first + i, place.why());
        }
        window.end();
        assertThat(window.records()).isEqualTo(records);
        return window;
    }

    private static VerifiedShard expected(List<Place> places, int first, int shard, boolean compacted) {
        long found = 0;
        long doubled = 0;
        long extra = 0;
        long skipped = 0;
        long deadLettered = 0;
        var missingAt = new TreeSet<Long>();
        var doubledAt = new TreeSet<Long>();
        var extraAt = new TreeSet<Long>();
        for (var i = 0; i < places.size(); i++) {
            var place = places.get(i);
            var rows = place.rows().get(shard);
            var offset = (long) first + i;
            if (place.gone() || (compacted && !place.record())) continue;
            if (!place.record() || place.shard() != shard) {
                extra += rows;
                if (rows > 0) extraAt.add(offset);
            } else if (rows > 0) {
                found++;
                doubled += rows - 1;
                if (rows > 1) doubledAt.add(offset);
            } else if (place.why() == Absence.MISSING) missingAt.add(offset);
            else if (place.why() == Absence.SKIPPED) skipped++;
            else deadLettered++;
        }
        return new VerifiedShard(
                "s" + shard,
                found + missingAt.size(),
                found,
                missingAt.size(),
                doubled,
                extra,
                skipped,
                deadLettered,
                texts(missingAt),
                texts(doubledAt),
                texts(extraAt));
    }

    private static List<String> texts(Set<Long> offsets) {
        var texts = new ArrayList<String>();
        for (var offset : offsets) {
            if (offsets.contains(offset - 1)) continue;
            if (texts.size() == OffsetRanges.MOST) {
                texts.add("…");
                break;
            }
            var last = offset;
            while (offsets.contains(last + 1)) last++;
            texts.add(last.equals(offset) ? offset.toString() : offset + "-" + last);
        }
        return texts;
    }

    @Test
    @DisplayName("EO-12: of many places the first twenty ranges are named, and that there are more")
    void examplesAreBounded() {
        var ranges = new OffsetRanges();
        for (var offset = 0; offset < 200; offset += 2) ranges.add(offset);
        assertThat(ranges.texts())
                .hasSize(OffsetRanges.MOST + 1)
                .startsWith("0", "2", "4")
                .endsWith("38", "…");
    }
}
