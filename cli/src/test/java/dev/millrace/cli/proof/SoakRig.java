package dev.millrace.cli.proof;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.MillraceCommandLine;
import dev.millrace.lab.BrokerProcess;
import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.Cue;
import dev.millrace.lab.FreePort;
import dev.millrace.lab.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// The parts of a soak: a broker in a process of its own, behind a proxy that everybody's connections go through,
/// two sinks, the process that is looked at and never started again, and a second member that comes and goes.
///
/// Thread ownership: the test's thread; its harms, that of [Harms].
final class SoakRig implements AutoCloseable {
    static final String TOPIC = "soak";
    static final String DEAD = "soak-dead";
    static final int PARTITIONS = 4;
    private static final String GROUP = "ingest";
    private static final String PLAN = "s1.";
    private static final Duration DRAIN = Duration.ofSeconds(25);
    private static final Duration LONGEST_JOIN = Duration.ofMinutes(4);
    private static final Duration LEFT_TO_END = Duration.ofSeconds(10);

    /// All of its heap is there from the beginning, so that what the system counts as resident grows only by what is
    /// outside of it.
    private static final String[] LIMITS = {
        "-Xms192m", "-Xmx192m", "-XX:+AlwaysPreTouch", "-XX:MaxDirectMemorySize=32m", "-XX:NativeMemoryTracking=summary"
    };

    private final List<SoakSink> sinks;
    private final ChaosProxy way;
    private final BrokerProcess broker;
    private final Topics topics;
    private final MillraceProcess process;
    private final AdminPages pages;
    private final List<Report> reportsOfOthers = new ArrayList<>();
    private @Nullable InProcess other;

    SoakRig(Path directory, List<SoakSink> sinks) throws Exception {
        this.sinks = List.copyOf(sinks);
        var port = FreePort.take();
        way = ChaosProxy.launch("127.0.0.1", port);
        broker = BrokerProcess.launch(
                SharedLab.settings().onPort(port).with("advertised.listeners", "PLAINTEXT://127.0.0.1:" + way.port()));
        topics = new Topics(bootstrapServers());
        topics.create(TOPIC, PARTITIONS);
        var recipe = recipe();
        var file = Files.writeString(directory.resolve("soak.yaml"), recipe.text());
        var made = MillraceCommandLine.run("init", file.toString());
        assertThat(made.code()).as(made.toString()).isZero();
        process = MillraceProcess.run(file, LIMITS);
        pages = new AdminPages(recipe.port());
    }

    String bootstrapServers() {
        return "127.0.0.1:" + way.port();
    }

    MillraceProcess process() {
        return process;
    }

    AdminPages pages() {
        return pages;
    }

    private Recipe recipe() {
        var recipe = Recipe.of(bootstrapServers(), GROUP, "[ " + TOPIC + " ]")
                .set("require", "L3")
                .set("source.kafka.consumers", "2")
                // A backlog brings large answers to fetches, and buffers as large for them, outside of the heap too.
                .set(
                        "source.kafka.properties",
                        "{ request.timeout.ms: 3000, session.timeout.ms: 3000, heartbeat.interval.ms: 300,"
                                + " max.partition.fetch.bytes: 131072, fetch.max.bytes: 524288 }")
                .set("poison.topic", DEAD)
                // An outage of seconds fills it, so that partitions are paused now and then.
                .set("admission", "{ max_bytes: 4MiB, max_rows: 10000 }")
                .set("checkpoint.interval", "1s")
                .set("drain.timeout", DRAIN.toSeconds() + "s");
        for (var sink : sinks) {
            sink.into(recipe);
            var at = "sinks." + sink.name();
            recipe.set(at + ".batch", "{ linger: 500ms, max_rows: 2000, max_bytes: 256KiB, max_cuts: 100 }")
                    .set(at + ".retry", "{ initial: 50ms, max: 300ms }")
                    .set(at + ".write", "{ timeout: 2s }")
                    .set(at + ".breaker", "{ failures: 2, open_for: 300ms, open_for_max: 2s }");
        }
        return recipe;
    }

    /// Waits for something that the process brings about. Fails at once if it ends.
    void await(String what, Duration limit, Callable<Boolean> holds) throws Exception {
        process.await(limit, what, holds, this::evidence);
    }

    boolean caughtUp() {
        return committed().equals(topics.endOffsets(TOPIC));
    }

    private Map<TopicPartition, Long> committed() {
        return topics.committed(GROUP);
    }

    private String evidence() {
        return "committed " + committed() + " of " + topics.endOffsets(TOPIC) + "\n" + stuck() + "\n"
                + process.evidence();
    }

    private String stuck() {
        try {
            return pages.body("/stuck");
        } catch (IOException silent) {
            return silent.toString();
        }
    }

    /// Everything that goes wrong in a soak.
    List<Harm> harms() {
        var own = Stream.of(
                new Harm("broker's connections cut", 2_000, _ -> way.refuse(), way::heal),
                new Harm("broker silent", 4_000, _ -> way.blackHole(), way::heal),
                new Harm("answer to a commit lost", 2_000, _ -> way.dropAnswer(Cue.inRequest(PLAN)), way::heal),
                // Now and then for longer than the session: then it is put out of its group.
                new Harm("process stands still", 4_000, _ -> signal("STOP"), () -> signal("CONT")),
                new Harm("second member", 4_000, _ -> joins(), this::leaves));
        return Stream.concat(own, sinks.stream().flatMap(sink -> sink.harms().stream()))
                .toList();
    }

    private void signal(String name) throws IOException, InterruptedException {
        var kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start();
        assertThat(kill.waitFor(Duration.ofSeconds(10))).isTrue();
        assertThat(kill.exitValue()).isZero();
    }

    private void joins() throws Exception {
        var joining = InProcess.start(recipe());
        other = joining;
        // On a machine that is busy enough, sessions end before a rebalance does.
        Deadline.in(LONGEST_JOIN)
                .until("the second member owns partitions", () -> owned(joining.pages()) > 0, this::evidence);
    }

    private static int owned(AdminPages of) {
        try {
            var owned = 0;
            for (var partition : of.status().at("/partitions"))
                if (partition.at("/owned").asBoolean()) owned++;
            return owned;
        } catch (IOException startsYet) {
            return 0;
        }
    }

    private void leaves() throws Exception {
        reportsOfOthers.add(requireNonNull(other).stop(0));
        other = null;
    }

    /// SIGTERM; the report, which adds up and says what the broker says.
    Report drain() throws Exception {
        process.terminate();
        var code = process.awaitExit(DRAIN.plus(LEFT_TO_END));
        assertThat(code).as(process::evidence).isZero();
        var report = Report.parse(process.stdout());
        report.addsUp();
        assertThat(report.drained()).as("drained, of %s", report).isTrue();
        assertThat(report.caughtUp()).as("caught up, of %s", report).isTrue();
        var ends = topics.endOffsets(TOPIC);
        assertThat(committed()).as("committed").isEqualTo(ends);
        assertThat(report.partitions()).hasSize(PARTITIONS);
        for (var partition : report.partitions())
            assertThat(partition.committed())
                    .isEqualTo(ends.get(new TopicPartition(partition.topic(), partition.partition())));
        for (var sink : sinks)
            assertThat(report.sinks()).anySatisfy(told -> {
                assertThat(told.name()).isEqualTo(sink.name());
                assertThat(told.level()).isEqualTo(sink.level());
            });
        return report;
    }

    /// Of the second member, each time that it left.
    List<Report> reportsOfOthers() {
        return reportsOfOthers;
    }

    /// All that lies in the topic.
    long produced() {
        return topics.endOffsets(TOPIC).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /// Numbers of the records that were set aside for a sink, each letter being its record byte for byte, and how many
    /// letters came again.
    record SetAside(BitSet ids, int repeats) {}

    SetAside letters(PoisonMix mix, SoakSink sink) {
        var ids = new BitSet();
        var repeats = 0;
        for (var letter : new LetterBox(topics, DEAD).letters()) {
            // What is no row of any format is set aside once for all sinks.
            if (!List.of(letter.said("sink").split(",")).contains(sink.name())) continue;
            var id = mix.id(Integer.parseInt(letter.said("partition")), Long.parseLong(letter.said("offset")));
            var kind = mix.kind(id);
            if (kind == null) throw new AssertionError("set aside and healthy: " + letter);
            var record = mix.record(TOPIC, id);
            assertThat(letter.code()).as("%s", letter).isEqualTo(sink.code(kind));
            assertThat(letter.record().key()).isEqualTo(record.key());
            assertThat(letter.record().value()).isEqualTo(record.value());
            assertThat(letter.record().timestamp()).isEqualTo(record.timestamp());
            if (ids.get(id)) repeats++;
            ids.set(id);
        }
        return new SetAside(ids, repeats);
    }

    @Override
    public void close() {
        var left = other;
        if (left != null) left.close();
        process.close();
        topics.close();
        broker.close();
        way.close();
    }
}
