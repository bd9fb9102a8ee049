package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// The parts of a run over a [PoisonMix]: its topic, a dead-letter topic, a store of two shards with two
/// ways to each, and one process after the other.
///
/// Thread ownership: the test's thread.
final class Fire implements AutoCloseable {
    private static final int PARTITIONS = 4;
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final Duration DRAIN = Duration.ofSeconds(30);

    private final String name;
    private final PoisonMix mix;
    private final Path directory;
    private final String bootstrapServers;
    private final FireStore store;
    private final Topics topics;
    private final List<Map<TopicPartition, Long>> atKills = new ArrayList<>();
    private final List<Run> runs = new ArrayList<>();

    /// `store` makes one, which this closes, for a name that nobody has used.
    Fire(SharedLab lab, Path directory, Function<String, FireStore> store, int rows, int every, long seed) {
        name = lab.fresh();
        this.store = store.apply(name);
        mix = new PoisonMix(rows, PARTITIONS, every, this.store.kinds(), seed, System.currentTimeMillis() - rows);
        this.directory = directory;
        bootstrapServers = lab.bootstrapServers();
        topics = new Topics(bootstrapServers);
    }

    private String topic() {
        return name + "-mixed";
    }

    private String dead() {
        return name + "-dead";
    }

    private String group() {
        return name + "-ingest";
    }

    PoisonMix mix() {
        return mix;
    }

    List<Way> ways() {
        return store.ways();
    }

    /// Sends the whole mix, and returns when all of it is acknowledged, each at its place.
    void produce() {
        topics.create(topic(), PARTITIONS);
        var failure = new AtomicReference<@Nullable Throwable>();
        var settings = Map.<String, Object>of(
                "bootstrap.servers", bootstrapServers, "acks", "all", "enable.idempotence", true, "linger.ms", 5);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (var id = 0; id < mix.rows(); id++) {
                var number = id;
                var _ = producer.send(mix.record(topic(), id), (where, refused) -> {
                    if (refused != null) failure.compareAndSet(null, refused);
                    else if (mix.id(where.partition(), where.offset()) != number)
                        failure.compareAndSet(null, new AssertionError(number + " lies at " + where));
                });
            }
        }
        var cause = failure.get();
        if (cause != null) throw new AssertionError("the mix was not produced", cause);
    }

    Map<TopicPartition, Long> committed() {
        return topics.committed(group());
    }

    Map<TopicPartition, Long> ends() {
        return topics.endOffsets(topic());
    }

    private long committedRows() {
        return committed().values().stream().mapToLong(Long::longValue).sum();
    }

    Landed landed() throws Exception {
        return store.landed();
    }

    /// Rows that are there more often than kills explain: once, and once more for each kill at which they
    /// were not committed.
    List<Integer> unexplained(Landed landed) {
        return landed.again().entrySet().stream()
                .filter(row -> row.getValue() > killsBeforeCommitted(row.getKey()))
                .map(Map.Entry::getKey)
                .toList();
    }

    private long killsBeforeCommitted(int id) {
        var place = new TopicPartition(topic(), id % PARTITIONS);
        return atKills.stream()
                .filter(committed -> committed.getOrDefault(place, 0L) <= id / PARTITIONS)
                .count();
    }

    DeadRows letters() {
        return DeadRows.read(topics, dead(), mix, topic(), store);
    }

    /// Whatever lies below what is committed is in a table or is a dead letter.
    void committedIsDurable() throws Exception {
        var committed = committed();
        var there = landed().ids();
        if (!committed.isEmpty()) there.or(letters().ids());
        committed.forEach((partition, end) -> {
            for (var offset = 0L; offset < end; offset++) {
                var id = mix.id(partition.partition(), offset);
                if (!there.get(id))
                    throw new AssertionError(partition + "@" + offset + " is committed to " + end + ", and row " + id
                            + " (" + mix.kind(id) + ") is nowhere");
            }
        });
    }

    /// Starts a process, and does not wait.
    Run start() throws IOException {
        var recipe = Recipe.of(bootstrapServers, group(), "[ " + topic() + " ]")
                .set("format", "{ json: { on_tombstone: dead_letter } }")
                .set("poison.topic", dead())
                // So that a process is in the middle of its work most of the time, whatever the size of the mix.
                .set("sinks.warehouse.batch", "{ max_rows: " + mix.rows() / 16 + ", linger: 300ms }")
                .set("admission.max_rows", Integer.toString(mix.rows() / 4))
                .set("checkpoint.interval", "400ms")
                .set("sinks.warehouse.write", "{ timeout: 5s }")
                .set("admission.max_bytes", "96MiB")
                .set("drain.timeout", DRAIN.toSeconds() + "s");
        store.into(recipe);
        var file = Files.writeString(directory.resolve(name + "-" + runs.size() + ".yaml"), recipe.text());
        var run = new Run(MillraceProcess.run(file), new AdminPages(recipe.port()), committedRows());
        runs.add(run);
        return run;
    }

    /// SIGTERM to the last process; its report, which adds up and says what the broker says.
    Report drain() throws Exception {
        var process = runs.getLast().process;
        process.terminate();
        var code = process.awaitExit(DRAIN.plusSeconds(5));
        assertThat(code).as(process::evidence).isZero();
        var report = Report.parse(process.stdout());
        report.addsUp();
        for (var partition : report.partitions())
            assertThat(partition.committed())
                    .isEqualTo(committed().get(new TopicPartition(partition.topic(), partition.partition())));
        assertThat(report.rows().polled()).isEqualTo(mix.rows() - runs.getLast().committedBefore);
        return report;
    }

    /// One process.
    final class Run {
        private final MillraceProcess process;
        private final AdminPages pages;
        private final long committedBefore;

        private Run(MillraceProcess process, AdminPages pages, long committedBefore) {
            this.process = process;
            this.pages = pages;
            this.committedBefore = committedBefore;
        }

        void await(String what, Callable<Boolean> holds) throws Exception {
            process.await(LIMIT, what, holds);
        }

        void awaitCommitted(long rows) throws Exception {
            await(rows + " rows committed", () -> committedRows() >= rows);
        }

        /// Everything is polled; some of it may be on its way.
        void awaitPolledAll() throws Exception {
            await("ready", () -> pages.code("/readyz") == 200);
            await("all polled", () -> pages.metric("millrace_rows_polled_total") == mix.rows() - committedBefore);
        }

        /// SIGKILL, amid its work.
        void kill() throws InterruptedException {
            process.kill();
            atKills.add(committed());
            assertThat(atKills.getLast()).as("it was done already").isNotEqualTo(ends());
        }
    }

    @Override
    public void close() {
        runs.forEach(run -> run.process.close());
        store.close();
        topics.close();
    }
}
