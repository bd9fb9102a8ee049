package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.clickhouse.Coordinates.Part;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardId;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Which servers are asked for their rows, and how what they say comes together.
@Timeout(60)
class StoredPlacesTest {
    private static final ShardId A = new ShardId("warehouse", "a");
    private static final ShardId B = new ShardId("warehouse", "b");
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final PlacesAsked ASKED = new PlacesAsked("or'ders", 3, 10, 14);

    private static ClickHouseSettings settings() {
        return Bench.settings(new Coordinates(
                new TreeMap<>(Map.of(Part.TOPIC, "_topic", Part.PARTITION, "_partition", Part.OFFSET, "_offset"))));
    }

    private static FakeServer server(String engine, String table, String path, String rows) throws Exception {
        return FakeServer.listen()
                .says("serverUUID", engine + "\t" + engine + " ORDER BY id\t" + table + "\thost\tt\t['/data']\n")
                .says("system.columns", "_topic\tString\t\n_partition\tUInt32\t\n_offset\tUInt64\t\n")
                .says("system.replicas", path.isEmpty() ? "" : path + "\n")
                .says("GROUP BY", rows);
    }

    private static StoredPlaces open(Map<ShardId, List<URI>> shards) {
        return StoredPlaces.open(settings(), shards, NanoClock.SYSTEM);
    }

    private static int[] counts(StoredPlaces places) throws Exception {
        var counts = new int[4];
        assertThat(places.count(A, ASKED, counts, PATIENCE)).isNull();
        return counts;
    }

    private static StoredPlaces.Looked look(StoredPlaces places) throws Exception {
        return places.look(PATIENCE);
    }

    @Test
    @DisplayName("EO-12: of replicas of one table the fullest counts, record by record, so one that lags hides nothing")
    void theFullestReplicaCounts() throws Exception {
        try (var one = server("ReplicatedMergeTree", "1", "/t/a", "1\t10\n1\t11\n");
                var other = server("ReplicatedMergeTree", "2", "/t/a", "1\t10\n2\t12\n");
                var places = open(Map.of(A, List.of(one.uri(), other.uri())))) {
            assertThat(look(places)).isEqualTo(new StoredPlaces.Countable(List.of()));
            assertThat(counts(places)).containsExactly(1, 1, 2, 0);
            assertThat(one.questions().getLast())
                    .contains("`_topic` = 'or\\'ders'", "`_partition` = 3", "`_offset` >= 10", "`_offset` < 14");
        }
    }

    @Test
    @DisplayName(
            "EO-12: a replica that is silent, or refuses, is told and done without; where all do, nothing is counted")
    void aSilentReplicaIsDoneWithout() throws Exception {
        try (var one = server("SharedMergeTree", "1", "", "1\t10\n");
                var other = server("SharedMergeTree", "2", "", "1\t11\n").refuses("GROUP BY", 289);
                var places = open(Map.of(A, List.of(Stub.nobody(), one.uri(), other.uri())))) {
            assertThat(look(places))
                    .isInstanceOfSatisfying(
                            StoredPlaces.Countable.class,
                            found -> assertThat(found.cautions())
                                    .singleElement()
                                    .asString()
                                    .contains("a was read without http://127.0.0.1"));
            assertThat(counts(places)).containsExactly(1, 0, 0, 0);
            one.refuses("GROUP BY", 241);
            assertThat(places.count(A, ASKED, new int[4], PATIENCE)).contains("289");
        }
    }

    @Test
    @DisplayName(
            "EO-12: servers that share nothing add up, two addresses of one count once, and a silent one is unreached")
    void serversThatShareNothingAddUp() throws Exception {
        try (var one = server("MergeTree", "1", "", "1\t10\n1\t11\n");
                var same = server("MergeTree", "1", "", "1\t10\n1\t11\n");
                var other = server("MergeTree", "2", "", "1\t11\n1\t13\n")) {
            try (var places = open(Map.of(A, List.of(one.uri(), same.uri(), other.uri())))) {
                assertThat(look(places)).isInstanceOf(StoredPlaces.Countable.class);
                assertThat(counts(places)).containsExactly(1, 2, 0, 1);
            }
            try (var places = open(Map.of(A, List.of(one.uri(), Stub.nobody())))) {
                assertThat(look(places))
                        .isInstanceOfSatisfying(
                                StoredPlaces.Unreached.class,
                                found -> assertThat(found.reason())
                                        .contains("a http://127.0.0.1", "a part of the rows"));
            }
            try (var places = open(Map.of(A, List.of(one.uri()), B, List.of(same.uri())))) {
                assertThat(look(places))
                        .isInstanceOfSatisfying(
                                StoredPlaces.Unfit.class,
                                found -> assertThat(found.reason()).contains("the same table as that of shard"));
            }
        }
    }

    @Test
    @DisplayName("EO-12: replicated tables of two paths in Keeper are no copies of each other")
    void pathsTellCopies() throws Exception {
        try (var one = server("ReplicatedMergeTree", "1", "/t/a", "1\t10\n");
                var other = server("ReplicatedMergeTree", "2", "/t/b", "1\t10\n");
                var places = open(Map.of(A, List.of(one.uri(), other.uri())))) {
            assertThat(look(places)).isInstanceOf(StoredPlaces.Countable.class);
            assertThat(counts(places)).containsExactly(2, 0, 0, 0);
        }
    }

    @Test
    @DisplayName("EO-12: a table whose rows say little of what was stored is refused, or told")
    void tablesThatSayLittle() throws Exception {
        assertThat(lookAt("Distributed")).isInstanceOf(StoredPlaces.Unfit.class);
        assertThat(lookAt("ReplacingMergeTree"))
                .isInstanceOfSatisfying(
                        StoredPlaces.Countable.class,
                        found -> assertThat(found.cautions())
                                .singleElement()
                                .asString()
                                .contains("ReplacingMergeTree", "missing"));
        try (var places = StoredPlaces.open(Bench.settings(), Map.of(A, List.of(Stub.nobody())), NanoClock.SYSTEM)) {
            assertThat(look(places))
                    .isInstanceOfSatisfying(
                            StoredPlaces.Unfit.class,
                            found -> assertThat(found.reason()).contains("clickhouse.coordinates"));
        }
    }

    private static StoredPlaces.@Nullable Looked lookAt(String engine) throws Exception {
        try (var one = server(engine, "1", "", "");
                var places = open(Map.of(A, List.of(one.uri())))) {
            return look(places);
        }
    }

    @Test
    @DisplayName("EO-12: an answer that is no count of what was asked is no answer")
    void answersOfAnotherForm() throws Exception {
        for (var rows : List.of("1\t9\n", "1\t14\n", "1\n", "x\t10\n", "1\t10"))
            try (var one = server("MergeTree", "1", "", rows);
                    var places = open(Map.of(A, List.of(one.uri())))) {
                assertThat(look(places)).isInstanceOf(StoredPlaces.Countable.class);
                assertThat(places.count(A, ASKED, new int[4], PATIENCE))
                        .as(rows)
                        .contains("no known form");
            }
    }
}
