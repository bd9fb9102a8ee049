package dev.millrace.postgres;

import static dev.millrace.postgres.Warehouse.address;
import static dev.millrace.postgres.Warehouse.settings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.LabPostgres;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeProperty;

/// What arrives in a column is what PostgreSQL itself reads from the JSON.
@Tag("FMT-3")
class RoundTripTest {
    private final LabPostgres server = LabPostgres.launch();

    @BeforeProperty
    void createTable() {
        server.createDatabase("shop");
        server.execute("shop", "create table t (id int, s text, j json, b jsonb)");
    }

    @AfterProperty
    void close() {
        server.close();
    }

    @Provide
    Arbitrary<List<String>> texts() {
        var character = Arbitraries.frequencyOf(
                net.jqwik.api.Tuple.of(
                        4, Arbitraries.of('\\', '"', '/', '\n', '\r', '\t', '\b', '\f', 'N', '.', 'x', 'u', '0')),
                net.jqwik.api.Tuple.of(2, Arbitraries.chars().range(' ', '~')),
                net.jqwik.api.Tuple.of(1, Arbitraries.chars().range('\u0001', '\u001f')),
                net.jqwik.api.Tuple.of(1, Arbitraries.chars().range('\u007f', '\uffff')));
        return character
                .list()
                .ofMaxSize(20)
                .map(RoundTripTest::wellFormed)
                .list()
                .ofMinSize(1)
                .ofMaxSize(60);
    }

    /// A surrogate becomes a pair.
    private static String wellFormed(List<Character> characters) {
        var text = new StringBuilder();
        for (char c : characters) {
            if (Character.isSurrogate(c)) text.appendCodePoint(0x10000 + c);
            else text.append(c);
        }
        return text.toString();
    }

    /// One of the ways to spell it.
    private static String spelled(String text, Random random) {
        var json = new StringBuilder("\"");
        text.codePoints().forEach(c -> {
            var brief = "\"\\/\b\f\n\r\t".indexOf(c);
            if (brief >= 0 && random.nextBoolean()) json.append('\\').append("\"\\/bfnrt".charAt(brief));
            else if (c < ' ' || c == '"' || c == '\\' || random.nextInt(4) == 0)
                for (var unit : Character.toChars(c))
                    json.append(String.format(random.nextBoolean() ? "\\u%04x" : "\\u%04X", (int) unit));
            else json.appendCodePoint(c);
        });
        return json.append('"').toString();
    }

    @Property(tries = 25)
    void textArrivesAsTheServerItselfReadsTheJson(@ForAll("texts") List<String> texts, @ForAll Random random)
            throws Exception {
        var documents = new ArrayList<String>();
        for (var i = 0; i < texts.size(); i++) {
            var s = spelled(texts.get(i), random);
            documents.add("{\"j\":[ " + s + ",\n{" + s + ":1e2}],\"s\":" + s + ", \"id\" :" + i + ",\"b\":" + s + "}");
        }
        server.execute("shop", "truncate t");
        try (var warehouse = Warehouse.open(settings("t"), address(server, "shop"))) {
            assertThat(warehouse.write(documents.toArray(String[]::new))).isEqualTo(new Written(texts.size(), 0));
        }
        try (var connection = server.connect("shop");
                var query = connection.prepareStatement("""
                        select t.id, t.s is not distinct from d::jsonb->>'s', t.j::text = (d::json->'j')::text,
                               t.b = d::jsonb->'b', t.s = any(?)
                          from t join unnest(?) with ordinality as docs(d, n) on n = t.id + 1""")) {
            query.setArray(1, connection.createArrayOf("text", texts.toArray()));
            query.setArray(2, connection.createArrayOf("text", documents.toArray()));
            try (var rows = query.executeQuery()) {
                var seen = 0;
                for (; rows.next(); seen++)
                    for (var column = 2; column <= 5; column++)
                        assertThat(rows.getBoolean(column))
                                .as("column %d of %s", column, documents.get(rows.getInt(1)))
                                .isTrue();
                assertThat(seen).isEqualTo(texts.size());
            }
        }
    }
}
