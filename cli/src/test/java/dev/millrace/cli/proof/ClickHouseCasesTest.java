package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.lab.clickhouse.Answer;
import dev.millrace.lab.clickhouse.EngineLibrary;
import dev.millrace.lab.clickhouse.Fault;
import dev.millrace.lab.clickhouse.LabClickHouse;
import dev.millrace.lab.clickhouse.LoggedRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// What a ClickHouse says that is no row's fault: nothing is committed over it and nothing set aside, it
/// is told, and all lands once when it is mended. From a topic into the real engine.
@ExtendWith(LabExtension.class)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ClickHouseCasesTest {
    private static final int ROWS = 900;
    private static final String WINDOW = " SETTINGS non_replicated_deduplication_window = 10000";
    private static final String PLAIN = "CREATE TABLE orders (id UInt64, p UInt8) ENGINE = MergeTree ORDER BY id";

    /// One pipeline into one shard of two replicas, and rows for it once it is ready.
    private record Case(Stage stage, LabClickHouse store, String topic, InProcess run) implements AutoCloseable {
        static Case open(SharedLab lab, String table) throws Exception {
            return open(lab, table, "");
        }

        /// With more settings of the sink's, as flow YAML.
        static Case open(SharedLab lab, String table, String more) throws Exception {
            assumeTrue(EngineLibrary.available());
            var stage = new Stage(lab);
            var store = LabClickHouse.shared(1, 2);
            store.execute(table + WINDOW);
            var topic = stage.topic("orders");
            stage.topics().create(topic, 1);
            stage.topics().create(stage.topic("dead"), 1);
            var recipe = stage.recipe("[ " + topic + " ]")
                    .set("poison.topic", stage.topic("dead"))
                    .set(
                            "sinks.warehouse.clickhouse",
                            "{ database: default, table: orders, user: default" + more + " }")
                    .set(
                            "sinks.warehouse.shards.s0",
                            "[ \"" + store.front(0, 0).url() + "\", \""
                                    + store.front(0, 1).url() + "\" ]");
            return new Case(stage, store, topic, stage.start(recipe).ready());
        }

        /// In three parts, each at least a batch.
        void produce() {
            for (var part = 0; part < 3; part++)
                stage.topics().produce(Stage.rows(topic, 0, part * ROWS / 3, ROWS / 3));
        }

        void await(String what, Callable<Boolean> holds) throws Exception {
            run.await(what, holds);
        }

        /// Waits until `/stuck` says so. Nothing is committed and nothing set aside then.
        void awaitHeld(String... words) throws Exception {
            await(
                    "/stuck says " + String.join(", ", words),
                    () -> List.of(words).stream().allMatch(stuck()::contains));
            assertThat(stage.topics().committed(stage.group()).values().stream()
                            .mapToLong(Long::longValue)
                            .sum())
                    .as("committed")
                    .isZero();
            assertThat(letters()).isEmpty();
        }

        private String stuck() throws Exception {
            return run.pages().body("/stuck");
        }

        List<LetterBox.Letter> letters() {
            return new LetterBox(stage.topics(), stage.topic("dead")).letters();
        }

        /// Everything is there, once.
        void awaitLanded() throws Exception {
            await("all committed", () -> stage.caughtUp(topic));
            assertThat(store.count("orders")).isEqualTo(ROWS);
            assertThat(store.engine(0).queryLong("SELECT uniqExact(id) FROM orders"))
                    .isEqualTo(ROWS);
            assertThat(letters()).isEmpty();
            var report = run.stop(0);
            assertThat(report.rows().delivered()).isEqualTo(ROWS);
            assertThat(report.rows().deadLettered()).isZero();
        }

        @Override
        public void close() {
            stage.close();
            store.close();
        }
    }

    @Test
    @DisplayName("CASE-1 INPUT-45: a table that is gone holds everything and is named; when it is there again all land"
            + " once")
    void missingTable(SharedLab lab) throws Exception {
        try (var it = Case.open(lab, PLAIN)) {
            it.store().execute("DROP TABLE orders SYNC");
            it.produce();
            it.awaitHeld("60: no such table", "UNKNOWN_TABLE", "orders");
            assertThat(it.run().pages().code("/readyz")).isEqualTo(503);
            it.store().execute(PLAIN + WINDOW);
            it.awaitLanded();
        }
    }

    @Test
    @DisplayName("CASE-8 INPUT-46: a table that is read-only on every replica is an outage: nothing is committed, and"
            + " it ends by itself")
    void readOnly(SharedLab lab) throws Exception {
        try (var it = Case.open(lab, PLAIN)) {
            var readOnly = Answer.exception(242, "TABLE_IS_READ_ONLY", "Table is in readonly mode");
            for (var front : it.store().fronts())
                front.fault(Fault.answer(readOnly).onInserts());
            it.produce();
            it.awaitHeld("242: the table is read-only on this replica");
            it.await("both breakers open", () -> it.run().metrics().sum("millrace_breaker_state") >= 2);
            it.store().fronts().forEach(front -> front.heal());
            it.awaitLanded();
        }
    }

    @Test
    @DisplayName("CASE-16 INPUT-46: too many parts are an overload: the same again, until merges go on")
    void tooManyParts(SharedLab lab) throws Exception {
        try (var it = Case.open(lab, PLAIN)) {
            var engine = it.store().engine(0);
            engine.execute("SYSTEM STOP MERGES orders");
            engine.execute("ALTER TABLE orders MODIFY SETTING parts_to_throw_insert = 2, parts_to_delay_insert = 2");
            for (var i = 0; i < 2; i++) engine.execute("INSERT INTO orders VALUES (" + i + ", 9)");
            it.produce();
            it.awaitHeld("252: the table has too many parts");
            assertThat(it.run().metrics().sum("millrace_attempts_total", "outcome=\"too_large\""))
                    .isZero();
            engine.execute("ALTER TABLE orders MODIFY SETTING parts_to_throw_insert = 3000,"
                    + " parts_to_delay_insert = 1000");
            engine.execute("TRUNCATE TABLE orders");
            engine.execute("SYSTEM START MERGES orders");
            it.awaitLanded();
        }
    }

    @Test
    @DisplayName("CASE-16 INPUT-47: a batch of more partitions than an insert may have is halved until it fits, and"
            + " every row lands once")
    void tooManyPartitions(SharedLab lab) throws Exception {
        var table = "CREATE TABLE orders (id UInt64, p UInt8) ENGINE = MergeTree PARTITION BY id % 250 ORDER BY id";
        try (var it = Case.open(lab, table)) {
            it.produce();
            it.awaitLanded();
        }
    }

    @Test
    @DisplayName("INPUT-47: where not one row fits, its partition is too many: told with the setting's name")
    void noPartitionFits(SharedLab lab) throws Exception {
        try (var it = Case.open(lab, PLAIN)) {
            var none = Answer.exception(
                    252,
                    "TOO_MANY_PARTS",
                    "Too many partitions for single INSERT block (more than 0). The limit is controlled by"
                            + " 'max_partitions_per_insert_block' setting");
            for (var front : it.store().fronts()) front.fault(Fault.answer(none).onInserts());
            it.produce();
            it.await("told", () -> !it.letters().isEmpty() || it.stuck().contains("252"));
            var told = new ArrayList<String>();
            it.letters().forEach(letter -> told.add(letter.said("reason")));
            told.add(it.stuck());
            assertThat(told).anyMatch(text -> text.contains("max_partitions_per_insert_block"));
        }
    }

    @Test
    @DisplayName(
            "CH-8 INPUT-45 CASE-49: a column that is gone is no row's fault: what was made for it is read again and"
                    + " waits, and lands once when it is back")
    void columnDropped(SharedLab lab) throws Exception {
        try (var it = Case.open(lab, PLAIN)) {
            it.store().execute("ALTER TABLE orders DROP COLUMN p");
            it.produce();
            it.awaitHeld("the record has the field p, and the column of that name is gone");
            it.store().execute("ALTER TABLE orders ADD COLUMN p UInt8");
            it.awaitLanded();
        }
    }

    @Test
    @DisplayName("CH-8 CASE-49: a column of another type is noticed, and what was made for the old one is read again in"
            + " place")
    void columnRetyped(SharedLab lab) throws Exception {
        try (var log = LogLines.capture();
                var it = Case.open(lab, PLAIN)) {
            it.store().execute("ALTER TABLE orders MODIFY COLUMN p UInt32");
            it.produce();
            it.awaitLanded();
            assertThat(log.lines()).anyMatch(line -> line.contains("event=layout_changed"));
            assertThat(log.lines()).anyMatch(line -> line.contains("event=read_again"));
        }
    }

    @Test
    @DisplayName("INPUT-45: rows that are sent as they are and name a column that is gone are held, not set aside")
    void columnDroppedUnderRowsAsTheyAre(SharedLab lab) throws Exception {
        try (var it = Case.open(lab, PLAIN, ", format: json_each_row")) {
            it.store().execute("ALTER TABLE orders DROP COLUMN p");
            it.produce();
            it.awaitHeld("117");
            it.store().execute("ALTER TABLE orders ADD COLUMN p UInt8");
            it.awaitLanded();
        }
    }

    @Test
    @DisplayName("CASE-10: an insert that was stored and answered with an unknown status is sent again as it is, and is"
            + " there once")
    void unknownStatus(SharedLab lab) throws Exception {
        try (var it = Case.open(lab, PLAIN)) {
            var unknown = Answer.exception(319, "UNKNOWN_STATUS_OF_INSERT", "Unknown status");
            for (var front : it.store().fronts())
                front.fault(Fault.answerAfterwards(unknown).onInserts().times(1));
            it.produce();
            it.awaitLanded();
        }
    }

    @Test
    @DisplayName("CASE-4: a batch whose write fails is sent again as it is, and no row of it joins another: all land"
            + " once in a table that remembers no tokens")
    void sentAgainAsItIs(SharedLab lab) throws Exception {
        try (var it = Case.open(lab, PLAIN)) {
            it.store().execute("ALTER TABLE orders MODIFY SETTING non_replicated_deduplication_window = 0");
            var busy = Answer.exception(202, "TOO_MANY_SIMULTANEOUS_QUERIES", "Too many simultaneous queries");
            for (var front : it.store().fronts())
                front.fault(Fault.answer(busy).onInserts().times(2));
            it.produce();
            it.awaitLanded();
            var stored = it.store().fronts().stream()
                    .flatMap(front -> front.inserts().stream())
                    .filter(insert -> insert.ran() == LoggedRequest.Ran.DONE)
                    .toList();
            assertThat(stored).extracting(LoggedRequest::token).doesNotHaveDuplicates();
            var refused = it.store().fronts().stream()
                    .flatMap(front -> front.inserts().stream())
                    .filter(insert -> insert.code() == 202)
                    .toList();
            assertThat(refused)
                    .isNotEmpty()
                    .allSatisfy(insert -> assertThat(stored)
                            .filteredOn(other -> other.token().equals(insert.token()))
                            .singleElement()
                            .extracting(LoggedRequest::bodyBytes)
                            .isEqualTo(insert.bodyBytes()));
        }
    }

    @Test
    @DisplayName("CH-4: a code that only the file knows holds the batch by the file's word, and opens no breaker")
    void verdictOfTheFile(SharedLab lab) throws Exception {
        try (var it = Case.open(lab, PLAIN, ", verdicts: { 9999: settings }")) {
            for (var front : it.store().fronts())
                front.fault(Fault.answer(Answer.exception(9999, "NEWS", "of tomorrow"))
                        .onInserts());
            it.produce();
            it.awaitHeld("9999: an error that is not known", "\"blocked\":true");
            it.await(
                    "tried four times",
                    () -> it.run().metrics().sum("millrace_attempts_total", "outcome=\"misconfigured\"") >= 4);
            assertThat(it.run().metrics().sum("millrace_breaker_state")).isZero();
            it.store().fronts().forEach(front -> front.heal());
            it.awaitLanded();
        }
    }
}
