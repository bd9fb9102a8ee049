package dev.millrace.cli.proof;

import dev.millrace.cli.MillraceCommandLine;
import dev.millrace.config.KafkaSourceConfig.GroupProtocol;
import dev.millrace.lab.BrokerProcess;
import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.FreePort;
import dev.millrace.lab.Topics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/// The parts of one arm: a broker in a process of its own, behind a proxy that everybody's
/// connections go through, a topic with its load, the store, and the processes of one group.
///
/// Thread ownership: the test's thread; [#members], [#committed] and what they give, any.
final class OnceRig implements AutoCloseable {
    static final int PARTITIONS = 6;
    static final Duration SESSION = Duration.ofMillis(1_500);
    private static final Duration DRAIN = Duration.ofSeconds(3);
    private static final Duration LIMIT = Duration.ofSeconds(90);

    private final Path directory;
    private final OnceStore store;
    private final GroupProtocol protocol;
    private final ChaosProxy way;
    private final BrokerProcess broker;
    private final Topics topics;
    private final OnceLoad load;
    private final List<OnceMember> members = new CopyOnWriteArrayList<>();
    private final List<OnceMember> ended = new CopyOnWriteArrayList<>();
    private Path lastFile = Path.of("");
    private int started;

    OnceRig(Path directory, OnceStore store, GroupProtocol protocol, int rowsPerSecond) throws Exception {
        this.directory = directory;
        this.store = store;
        this.protocol = protocol;
        var port = FreePort.take();
        way = ChaosProxy.launch("127.0.0.1", port);
        broker = BrokerProcess.launch(
                SharedLab.settings().onPort(port).with("advertised.listeners", "PLAINTEXT://127.0.0.1:" + way.port()));
        topics = new Topics(bootstrapServers());
        topics.create("once", PARTITIONS);
        load = new OnceLoad("once", PARTITIONS, rowsPerSecond, bootstrapServers());
        if (protocol == GroupProtocol.CONSUMER) sessionsOfTheGroup();
    }

    private void sessionsOfTheGroup() throws Exception {
        var entry = new ConfigEntry("consumer.session.timeout.ms", Long.toString(SESSION.toMillis()));
        var change = new AlterConfigOp(entry, AlterConfigOp.OpType.SET);
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
            admin.incrementalAlterConfigs(
                            Map.of(new ConfigResource(ConfigResource.Type.GROUP, "ingest"), List.of(change)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    private String bootstrapServers() {
        return "127.0.0.1:" + way.port();
    }

    BrokerProcess broker() {
        return broker;
    }

    /// Between the broker and everybody.
    ChaosProxy way() {
        return way;
    }

    OnceStore store() {
        return store;
    }

    OnceLoad load() {
        return load;
    }

    Topics topics() {
        return topics;
    }

    Map<TopicPartition, Long> committed() {
        return topics.committed("ingest");
    }

    /// Those that run, or should.
    List<OnceMember> members() {
        return members;
    }

    /// What the store needs is made, by `millrace init`.
    MillraceCommandLine.Ended init(SplittableRandom chance) throws Exception {
        file(chance);
        return command("init");
    }

    // Settings that do not decide what is in a batch are left to chance.
    private Recipe file(SplittableRandom chance) throws Exception {
        var recipe = recipe(chance);
        lastFile = Files.writeString(directory.resolve("once-" + started++ + ".yaml"), recipe.text());
        return recipe;
    }

    private Recipe recipe(SplittableRandom chance) {
        var recipe = Recipe.of(bootstrapServers(), "ingest", "[ once ]")
                .set("delivery", "effectively_once")
                .set("require", store.level())
                .set("source.kafka.group_protocol", protocol.name().toLowerCase(Locale.ROOT))
                .set("source.kafka.properties", properties())
                .set("source.kafka.consumers", Integer.toString(1 + chance.nextInt(2)))
                .set("source.kafka.rebalance.drain_timeout", one(chance, "0s", "200ms", "1s"))
                .set("poison.topic", "once-dead")
                .set(
                        "sinks.warehouse.batch",
                        "{ max_rows: " + one(chance, "40", "300", "5000") + ", max_bytes: 4MiB, linger: "
                                + (50 + chance.nextInt(150)) + "ms, max_cuts: 100 }")
                .set("sinks.warehouse.inflight", "{ max_per_shard: " + (1 + chance.nextInt(6)) + " }")
                .set("sinks.warehouse.chunk", "{ target_bytes: " + one(chance, "1KiB", "16KiB", "128KiB") + " }")
                .set("sinks.warehouse.write", "{ timeout: " + one(chance, "1s", "3s", "10s") + " }")
                .set("admission", "{ max_rows: " + one(chance, "5000", "20000", "5000000") + ", max_bytes: 96MiB }")
                .set("checkpoint.interval", one(chance, "200ms", "300ms", "1s"))
                .set("checkpoint.max_open_segments", one(chance, "1", "3", "8"))
                .set("drain.timeout", DRAIN.toSeconds() + "s");
        store.into(recipe);
        return recipe;
    }

    private static String one(SplittableRandom chance, String... of) {
        return of[chance.nextInt(of.length)];
    }

    // A request that timed out may be applied for twice as long as this, and plans wait for that.
    private String properties() {
        var more = protocol == GroupProtocol.CONSUMER
                ? ""
                : ", session.timeout.ms: " + SESSION.toMillis() + ", heartbeat.interval.ms: 300";
        return "{ request.timeout.ms: 2000, max.poll.records: 500" + more + " }";
    }

    /// Starts a process, and does not wait.
    OnceMember start(SplittableRandom chance) throws Exception {
        var recipe = file(chance);
        var member = new OnceMember(lastFile, recipe.port(), DRAIN);
        members.add(member);
        return member;
    }

    /// Of one that has ended, or is about to.
    void forget(OnceMember member) {
        members.remove(member);
        ended.add(member);
    }

    /// The most rows that all of them say they may have stored twice.
    long possibleDuplicates() {
        members.forEach(OnceMember::scrape);
        return members.stream().mapToLong(OnceMember::possibleDuplicates).sum()
                + ended.stream().mapToLong(OnceMember::possibleDuplicates).sum();
    }

    /// Waits for something that the processes bring about. Fails at once if one ends.
    void await(String what, Callable<Boolean> holds) throws Exception {
        Deadline.in(LIMIT)
                .until(
                        what,
                        () -> {
                            for (var member : members)
                                if (!member.alive())
                                    throw new AssertionError(
                                            member.name() + " ended before: " + what + "\n" + evidence());
                            return holds.call();
                        },
                        this::evidence);
    }

    boolean caughtUp() {
        return committed().equals(topics.endOffsets("once"));
    }

    /// `millrace` about this pipeline, such as `offsets show`.
    MillraceCommandLine.Ended command(String... words) {
        var all = new ArrayList<>(List.of(words));
        all.add(lastFile.toString());
        return MillraceCommandLine.run(all.toArray(String[]::new));
    }

    /// What a person wants to see when an assertion fails.
    String evidence() {
        return "files are in " + directory + "\nends " + topics.endOffsets("once") + "\n"
                + command("offsets", "show").out()
                + members.stream().map(OnceMember::evidence).collect(Collectors.joining("\n"));
    }

    @Override
    public void close() {
        members.forEach(OnceMember::close);
        topics.close();
        broker.close();
        way.close();
        store.close();
    }
}
