package dev.millrace.postgres;

import static dev.millrace.postgres.Warehouse.address;
import static dev.millrace.postgres.Warehouse.settings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.LabPostgres;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Refused;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// The page `fits.txt`: type, JSON value, and what becomes of it. For a value that is sent: what a real server has
/// then, or its own refusal. For one that is refused: the reason, and what the server would have made of it (its error,
/// or what it would
/// have stored).
@Tag("FMT-3")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FitTest {
    private static final String PAGE = "fits.txt";
    private static final String BETWEEN = " | ";

    private LabPostgres server;

    @BeforeAll
    void launch() {
        server = LabPostgres.launch();
        server.createDatabase("shop");
        server.execute("shop", """
                create type mood as enum ('sad', 'glad');
                create type pair as (a numeric(5, 2), b text);
                create domain price as numeric(5, 2) check (value > 0);
                create domain prices as price[];
                create domain tag as varchar(3);
                create domain tags as tag[]""");
    }

    @AfterAll
    void close() {
        server.close();
    }

    private static Map<String, List<String>> valuesByType() throws IOException {
        var values = new LinkedHashMap<String, List<String>>();
        for (var line : Golden.read(PAGE)) {
            var parts = line.split(" \\| ", 3);
            values.computeIfAbsent(parts[0], _ -> new ArrayList<>()).add(parts[1]);
        }
        return values;
    }

    @Test
    @DisplayName("CASE-41 CASE-42 CASE-43 INPUT-8 INPUT-11 INPUT-12 INPUT-13 INPUT-16")
    void eachValueIsKeptAsItIsOrRefusedWithItsReason() throws Exception {
        var lines = new ArrayList<String>();
        for (var entry : valuesByType().entrySet()) {
            var type = entry.getKey();
            server.execute("shop", "drop table if exists t; create table t (c " + type + ")");
            try (var warehouse = Warehouse.open(settings("t"), address(server, "shop"))) {
                for (var json : entry.getValue()) lines.add(type + BETWEEN + json + BETWEEN + fate(warehouse, json));
            }
        }
        Golden.check(PAGE, lines);
    }

    private String fate(Warehouse warehouse, String json) throws Exception {
        var document = "{ \"c\" : " + json + " }";
        if (Records.encode(warehouse.sink().encoder(), document).said() instanceof Encoded.Poison(var reason, var _))
            return "poison " + reason + BETWEEN + stored(warehouse.write(Warehouse.AMPLE, asItIsSpelled(json)));
        return "sent" + BETWEEN + stored(warehouse.write(document));
    }

    /// What one would send who does not look: the string's characters, or the value's text.
    private static dev.millrace.sinkpool.BatchRows asItIsSpelled(String json) {
        var text = json.startsWith("\"") ? json.substring(1, json.length() - 1) : json.replace("\\", "\\\\");
        return Records.verbatim(text);
    }

    private String stored(WriteOutcome outcome) {
        try {
            return switch (outcome) {
                case Written written -> {
                    assertThat(written.accepted()).isOne();
                    var text = server.query("shop", "select coalesce('«' || c::text || '»', 'null') from t")
                            .getFirst();
                    yield text.length() > 100 ? text.length() + " characters" : text.replace("\n", "\\n");
                }
                case Refused refused -> "the server says " + refused.failure().code();
                default -> throw new AssertionError(outcome.toString());
            };
        } finally {
            server.execute("shop", "truncate t");
        }
    }

    /// Where a type's reading is not known here, no value goes, and the start says so.
    @Test
    void columnsThatTakeNoValueAreTold() {
        server.execute("shop", "create table odd (m money, i interval day, p pair, d date)");
        try (var warehouse = Warehouse.open(settings("odd"), address(server, "shop"))) {
            assertThat(warehouse.sink().describe(Warehouse.in(Warehouse.AMPLE)))
                    .isInstanceOfSatisfying(
                            Description.Described.class,
                            described -> assertThat(described.hazards())
                                    .hasSize(3)
                                    .allSatisfy(hazard -> assertThat(hazard).contains("changes values in silence")));
        }
    }

    /// A column that takes no null refuses rows here, unless a trigger may fill it in, or a shard's may take null.
    @Test
    @DisplayName("CASE-44 INPUT-15")
    void aMissingValueIsPoisonOnlyWhereTheServerWouldRefuseItForCertain() throws Exception {
        server.execute("shop", """
                create table plain (id int not null);
                create table filled (id int not null);
                create table parts (id int not null) partition by list (id);
                create table part partition of parts default;
                create function fill() returns trigger language plpgsql as
                $$begin new.id = coalesce(new.id, 7); return new; end$$;
                create trigger fill before insert on filled for each row execute function fill();
                create trigger fill before insert on part for each row execute function fill()""");
        for (var document : List.of("{}", "{\"id\":null}")) {
            try (var plain = Warehouse.open(settings("plain"), address(server, "shop"))) {
                assertThat(Records.encode(plain.sink().encoder(), document).poison())
                        .isEqualTo(document.length() == 2 ? "missing" : "null");
            }
            for (var table : List.of("filled", "parts")) {
                try (var warehouse = Warehouse.open(settings(table), address(server, "shop"))) {
                    assertThat(warehouse.write(document)).isEqualTo(new Written(1, 0));
                    assertThat(server.query("shop", "delete from " + table + " returning id"))
                            .containsExactly("7");
                }
            }
        }
    }
}
