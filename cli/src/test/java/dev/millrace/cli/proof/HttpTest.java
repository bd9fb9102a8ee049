package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.http.HttpFront;
import dev.millrace.lab.http.RowStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// From a topic into servers of HTTP that keep tokens beside their rows: two replicas in front of each shard.
@ExtendWith(LabExtension.class)
@Timeout(value = 90, unit = TimeUnit.SECONDS)
class HttpTest {
    private static final int ROWS = 600;

    /// Shards of two replicas each, and a topic without keys, whose partitions are the shards.
    private record Case(Stage stage, String topic, List<RowStore> stores, List<HttpFront> fronts)
            implements AutoCloseable {
        static Case open(SharedLab lab, int shards, String poison) {
            var stage = new Stage(lab);
            var stores = IntStream.range(0, shards)
                    .mapToObj(_ -> new RowStore(poison))
                    .toList();
            var fronts = stores.stream()
                    .flatMap(store -> Stream.of(HttpFront.launch(store), HttpFront.launch(store)))
                    .toList();
            var topic = stage.topic("orders");
            stage.topics().create(topic, shards);
            stage.topics().create(stage.topic("dead"), 1);
            return new Case(stage, topic, stores, fronts);
        }

        Recipe recipe(String http) {
            var recipe = stage.recipe("[ " + topic + " ]")
                    .set("poison.topic", stage.topic("dead"))
                    .set("sinks.warehouse.http", "{ " + http + " }");
            for (var shard = 0; shard < stores.size(); shard++)
                recipe.set(
                        "sinks.warehouse.shards.s" + shard,
                        fronts.subList(2 * shard, 2 * shard + 2).stream()
                                .map(front -> "\"" + front.uri() + "\"")
                                .collect(Collectors.joining(", ", "[ ", " ]")));
            return recipe;
        }

        void produce(int shard) {
            stage.topics().produce(Stage.rows(topic, shard, 0, ROWS));
        }

        List<LetterBox.Letter> letters() {
            return new LetterBox(stage.topics(), stage.topic("dead")).letters();
        }

        /// Everything that was produced for a shard is there, once.
        void landed(int shard) {
            assertThat(fronts).allSatisfy(front -> assertThat(front.failures()).isEmpty());
            assertThat(stores.get(shard).rows())
                    .containsExactlyInAnyOrderElementsOf(IntStream.range(0, ROWS)
                            .mapToObj(id -> "{\"id\":" + id + ",\"p\":" + shard + "}")
                            .toList());
        }

        @Override
        public void close() {
            stage.close();
            fronts.forEach(HttpFront::close);
        }
    }

    @Test
    @Tag("WRT-1")
    @Tag("WRT-2")
    @Tag("EO-1")
    @Tag("EO-11")
    @DisplayName("EO-1 WRT-2: where answers are lost, each row is there once, by the server's memory of tokens")
    void lostAnswers(SharedLab lab) throws Exception {
        try (var log = LogLines.capture();
                var it = Case.open(lab, 2, "")) {
            for (var front = 0; front < it.fronts().size(); front++) {
                var loses = it.stores().get(front / 2).losingTheAnswer();
                it.fronts().get(front).next(loses, loses);
            }
            var recipe = it.recipe("remembers: 1h")
                    .set("require", "L2")
                    .set("sinks.warehouse.batch", "{ linger: 50ms, max_rows: 100 }");
            var run = it.stage().start(recipe).ready();
            for (var shard = 0; shard < 2; shard++) it.produce(shard);
            run.await("all committed", () -> it.stage().caughtUp(it.topic()));

            for (var shard = 0; shard < 2; shard++) {
                it.landed(shard);
                assertThat(it.stores().get(shard).repeats()).as("sent again").isPositive();
            }
            assertThat(log.lines())
                    .anyMatch(line -> line.contains("event=guarantee")
                            && line.contains("level=L2")
                            && line.contains("as configured"));
            var report = run.stop(0);
            assertThat(report.rows().delivered()).isEqualTo(2 * ROWS);
            assertThat(report.possibleDuplicates()).isZero();
            assertThat(report.sinks())
                    .singleElement()
                    .satisfies(sink -> assertThat(sink.level()).startsWith("L2"));
        }
    }

    @Test
    @Tag("EO-1")
    @Tag("DRN-5")
    @DisplayName("EO-1: what a run left in doubt the next one sends under the same token")
    void restart(SharedLab lab) throws Exception {
        try (var it = Case.open(lab, 1, "")) {
            var store = it.stores().getFirst();
            HttpFront.Turn hangs = line -> {
                store.keep(line.read());
                line.untilClosed();
            };
            for (var front : it.fronts()) front.always(hangs);
            var recipe = it.recipe("remembers: 1h")
                    .set("drain.timeout", "1s")
                    .set("sinks.warehouse.write", "{ timeout: 60s }")
                    .set("sinks.warehouse.inflight", "{ max_per_shard: 8 }");
            var run = it.stage().start(recipe).ready();
            it.produce(0);
            run.await("all is stored, and nobody was told", () -> store.rows().size() == ROWS);
            var left = run.stop(3);
            assertThat(left.rows().inDoubt()).isEqualTo(ROWS);
            assertThat(store.repeats()).isZero();

            for (var front : it.fronts()) front.always(store);
            var next = it.stage().start(it.recipe("remembers: 1h")).ready();
            next.await("all committed", () -> it.stage().caughtUp(it.topic()));
            it.landed(0);
            assertThat(store.repeats()).as("known by its token").isPositive();
            assertThat(next.stop(0).possibleDuplicates()).isZero();
        }
    }

    @Test
    @Tag("POI-1")
    @Tag("BRK-11")
    @DisplayName(
            "POI-1 BRK-11: a row that is refused is found by halves and set aside byte for byte, and opens no breaker")
    void poison(SharedLab lab) throws Exception {
        try (var it = Case.open(lab, 1, "poison")) {
            var run = it.stage().start(it.recipe("remembers: 1h")).ready();
            var bad = Stage.row(it.topic(), 0, "{\"id\": 1, \"is\":\n \"poison\"}");
            var rows = new ArrayList<>(Stage.rows(it.topic(), 0, 0, ROWS));
            rows.add(ROWS / 3, bad);
            it.stage().topics().produce(rows);
            run.await("all committed", () -> it.stage().caughtUp(it.topic()));

            it.landed(0);
            assertThat(it.letters()).singleElement().satisfies(letter -> {
                assertThat(letter.record().value()).isEqualTo(bad.value());
                assertThat(letter.place()).isEqualTo(it.topic() + "-0@" + ROWS / 3);
                assertThat(letter.said("reason")).contains("HTTP 422", "a row is not liked");
            });
            assertThat(it.stores().getFirst().refusals()).isBetween(2, 30);
            assertThat(run.metrics().sum("millrace_breaker_state")).isZero();
            var report = run.stop(0);
            assertThat(report.rows().deadLettered()).isEqualTo(1);
            assertThat(report.rows().delivered()).isEqualTo(ROWS);
        }
    }

    @Test
    @Tag("WRT-3")
    @DisplayName("WRT-3 CASE-24: a request that is too large is halved until it fits")
    void tooLarge(SharedLab lab) throws Exception {
        try (var it = Case.open(lab, 1, "")) {
            var store = it.stores().getFirst();
            HttpFront.Turn small = line -> {
                var request = line.read();
                if (request.body().length > 4_000) line.answer("413 Content Too Large", "", "<html>no</html>");
                else store.answer(line, store.keep(request));
            };
            for (var front : it.fronts()) front.always(small);
            var run = it.stage().start(it.recipe("remembers: 1h")).ready();
            it.produce(0);
            run.await("all committed", () -> it.stage().caughtUp(it.topic()));
            it.landed(0);
            assertThat(run.metrics().sum("millrace_attempts_total", "outcome=\"too_large\""))
                    .isPositive();
            assertThat(run.stop(0).rows().deadLettered()).isZero();
        }
    }

    @Test
    @Tag("BRK-12")
    @DisplayName("BRK-12: an overloaded server is asked again when it said, and no breaker opens")
    void overloaded(SharedLab lab) throws Exception {
        try (var it = Case.open(lab, 1, "")) {
            HttpFront.Turn busy = line -> {
                line.read();
                line.answer("429 Too Many Requests", "Retry-After: 1\r\n", "");
            };
            for (var front : it.fronts()) front.next(busy, busy, busy);
            var run = it.stage().start(it.recipe("remembers: 1h")).ready();
            it.produce(0);
            run.await("told", () -> run.metrics().sum("millrace_attempts_total", "outcome=\"overloaded\"") >= 3);
            run.await("all committed", () -> it.stage().caughtUp(it.topic()));
            it.landed(0);
            assertThat(run.metrics().sum("millrace_breaker_state")).isZero();
            run.stop(0);
        }
    }

    /// Counts requests that have begun and are not answered, at all servers of a sink, and holds the answers of one
    /// shard back.
    private static final class Crowd {
        private final AtomicInteger now = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();
        private final BlockingQueue<Integer> begun = new LinkedBlockingQueue<>();
        private final Queue<CountDownLatch> held = new ConcurrentLinkedQueue<>();

        HttpFront.Turn at(int shard, RowStore store) {
            return line -> {
                most.accumulateAndGet(now.incrementAndGet(), Math::max);
                begun.add(shard);
                var kept = store.keep(line.read());
                var latch = shard == 0 ? held.poll() : null;
                if (latch != null && !latch.await(60, TimeUnit.SECONDS))
                    throw new AssertionError("nobody let it answer");
                now.decrementAndGet();
                store.answer(line, kept);
            };
        }
    }

    /// Shards that wait for a slot.
    private static int waiting(InProcess run) throws IOException {
        var waits = "a write slot: 2 of 2 taken (inflight.max_total)";
        return run.pages().body("/status").split(Pattern.quote(waits), -1).length - 1;
    }

    @Test
    @Tag("WRT-8")
    @DisplayName("WRT-8: four shards of a sink have two writes at once; one that has both and waits for a third gets it"
            + " after those that have none")
    void limitedOverAllShards(SharedLab lab) throws Exception {
        var shards = 4;
        var first = new CountDownLatch(1);
        var second = new CountDownLatch(1);
        var crowd = new Crowd();
        crowd.held.addAll(List.of(first, second));
        try (var it = Case.open(lab, shards, "")) {
            for (var front = 0; front < it.fronts().size(); front++)
                it.fronts().get(front).always(crowd.at(front / 2, it.stores().get(front / 2)));
            var recipe = it.recipe("remembers: 1h")
                    .set("sinks.warehouse.batch", "{ linger: 50ms, max_rows: 100 }")
                    .set("sinks.warehouse.chunk", "{ target_bytes: 1KiB, linger: 1ms }")
                    .set("sinks.warehouse.write", "{ timeout: 60s }")
                    .set("sinks.warehouse.inflight", "{ max_per_shard: 3, max_total: 2 }");
            var run = it.stage().start(recipe).ready();
            it.produce(0);
            run.await("one shard has both", () -> crowd.begun.size() == 2);
            run.await("and waits for a third", () -> waiting(run) == 1);
            for (var shard = 1; shard < shards; shard++) it.produce(shard);
            run.await("the others wait behind it", () -> waiting(run) == shards);
            assertThat(run.metrics().sum("millrace_shard_waits_for_slot")).isEqualTo(shards);

            crowd.begun.clear();
            first.countDown();
            assertThat(crowd.begun.poll(60, TimeUnit.SECONDS))
                    .as("the shard that writes next")
                    .isNotZero();
            run.await(
                    "the others go on",
                    () -> it.stores().subList(1, shards).stream()
                            .allMatch(store -> store.rows().size() == ROWS));
            second.countDown();
            run.await("all committed", () -> it.stage().caughtUp(it.topic()));
            for (var shard = 0; shard < shards; shard++) it.landed(shard);
            assertThat(crowd.most).as("requests at once, at all servers").hasValue(2);
            assertThat(run.stop(0).rows().delivered()).isEqualTo((long) shards * ROWS);
        } finally {
            first.countDown();
            second.countDown();
        }
    }

    @Test
    @Tag("WRT-3")
    @DisplayName("WRT-3 INPUT-39: a server that points elsewhere holds the batch, which lands when that is mended; no"
            + " secret is told meanwhile")
    void redirected(SharedLab lab) throws Exception {
        var secret = "\"${NOBODY_SETS_THIS:-s3cret}\"";
        try (var log = LogLines.capture();
                var it = Case.open(lab, 1, "");
                var elsewhere = HttpFront.launch(new RowStore(""))) {
            for (var front : it.fronts())
                front.always(line -> {
                    line.read();
                    line.answer("308 Permanent Redirect", "Location: " + elsewhere.uri() + "?k=s3cret\r\n", "");
                });
            var run = it.stage()
                    .start(it.recipe("remembers: 1h, bearer_token: " + secret + ", headers: { X-Key: " + secret + " }"))
                    .begun();
            it.produce(0);
            run.await(
                    "held",
                    () -> run.pages().code("/readyz") == 503
                            && run.pages().body("/stuck").contains("308"));
            assertThat(run.pages().body("/stuck"))
                    .contains("localhost:" + elsewhere.uri().getPort())
                    .doesNotContain("s3cret");
            assertThat(elsewhere.connections()).isZero();
            assertThat(run.metrics().sum("millrace_breaker_state")).isZero();
            assertThat(run.pages().body("/status")).doesNotContain("s3cret");

            for (var front : it.fronts()) front.always(it.stores().getFirst());
            run.await("all committed", () -> it.stage().caughtUp(it.topic()));
            it.landed(0);
            assertThat(it.fronts())
                    .flatExtracting(HttpFront::requests)
                    .allMatch(request -> "s3cret".equals(request.header("X-Key"))
                            && "Bearer s3cret".equals(request.header("Authorization")));
            run.stop(0);
            assertThat(log.lines()).anyMatch(line -> line.contains("308")).noneMatch(line -> line.contains("s3cret"));
        }
    }
}
