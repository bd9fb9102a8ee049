package dev.millrace.cli.proof;

import dev.millrace.config.KafkaSourceConfig.GroupProtocol;
import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.Cue;
import dev.millrace.lab.FreePort;
import dev.millrace.lab.LabPostgres;
import dev.millrace.lab.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/// The parts of one test: a topic, a group, a database for each shard, and a proxy for each replica of it.
///
/// Thread ownership: the test's thread; what it hands out says for itself.
final class Scene implements AutoCloseable {
    /// @param withoutKey shards whose table has no primary key
    record Shape(int shards, int replicas, int partitions, Set<Integer> withoutKey) {
        Shape(int shards, int replicas, int partitions) {
            this(shards, replicas, partitions, Set.of());
        }
    }

    private final String name;
    private final Shape shape;
    private final Path directory;
    private final String bootstrapServers;
    private final LabPostgres postgres;
    private final Topics topics;
    private final Admin admin;
    private final Orders orders;
    private final Store store;
    private final Map<String, List<String>> endpoints = new LinkedHashMap<>();
    private final List<ChaosProxy> proxies = new ArrayList<>();
    private final List<Trial> trials = new ArrayList<>();

    Scene(String name, Shape shape, Path directory, String bootstrapServers, LabPostgres postgres) {
        this.name = name;
        this.shape = shape;
        this.directory = directory;
        this.bootstrapServers = bootstrapServers;
        this.postgres = postgres;
        topics = new Topics(bootstrapServers);
        admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers));
        orders = new Orders(name, shape.partitions(), topics);
        store = new Store(
                postgres,
                IntStream.range(0, shape.shards())
                        .mapToObj(n -> name + "_s" + n)
                        .toList(),
                shape.withoutKey());
        for (var shard = 0; shard < shape.shards(); shard++) {
            var ways = new ArrayList<String>();
            for (var replica = 0; replica < shape.replicas(); replica++) {
                var proxy = ChaosProxy.launch(postgres.host(), postgres.port());
                proxies.add(proxy);
                ways.add("postgres://127.0.0.1:" + proxy.port() + "/" + store.database(shard));
            }
            endpoints.put("s" + shard, ways);
        }
    }

    Orders orders() {
        return orders;
    }

    Store store() {
        return store;
    }

    String group() {
        return name + "-ingest";
    }

    String bootstrapServers() {
        return bootstrapServers;
    }

    /// What the broker says is committed.
    Map<TopicPartition, Long> committed() {
        return topics.committed(group());
    }

    /// Whether the group has committed all there is.
    boolean caughtUp() {
        var committed = committed();
        return orders.ends().entrySet().stream()
                .allMatch(end -> committed.getOrDefault(end.getKey(), 0L).equals(end.getValue()));
    }

    /// The ids of the group's members of now. A group that nobody has joined has none.
    List<String> members() throws Exception {
        try {
            var described = admin.describeConsumerGroups(List.of(group())).all().get(30, TimeUnit.SECONDS);
            return described.values().stream()
                    .flatMap(one -> one.members().stream())
                    .map(MemberDescription::consumerId)
                    .toList();
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof GroupIdNotFoundException) return List.of();
            throw failure;
        }
    }

    void eachProxy(Consumer<ChaosProxy> does) {
        proxies.forEach(does);
    }

    /// The ways to one shard.
    List<ChaosProxy> proxiesOf(int shard) {
        return proxies.subList(shard * shape.replicas(), (shard + 1) * shape.replicas());
    }

    void heal() {
        eachProxy(ChaosProxy::heal);
    }

    /// Keeps the answers of COMMITs back, on all ways.
    void holdCommits() {
        eachProxy(proxy -> proxy.holdAnswers(Cue.POSTGRES_COMMITTED));
    }

    /// Commits that are durable, and whose answer is kept back just now.
    int held() {
        return proxies.stream().mapToInt(proxy -> proxy.traffic().held()).sum();
    }

    /// A file for a process of this scene. Each call takes a port for the admin pages.
    PipelineYaml yaml() {
        return yaml(bootstrapServers);
    }

    /// The same under this group protocol, where a member without a heartbeat is out after so long.
    PipelineYaml yaml(GroupProtocol protocol, Duration session) throws Exception {
        if (protocol == GroupProtocol.CONSUMER) sessionsOfTheGroup(session);
        return yaml().group(protocol, session);
    }

    private void sessionsOfTheGroup(Duration session) throws Exception {
        var entry = new ConfigEntry("consumer.session.timeout.ms", Long.toString(session.toMillis()));
        var change = new AlterConfigOp(entry, AlterConfigOp.OpType.SET);
        admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, group()), List.of(change)))
                .all()
                .get(30, TimeUnit.SECONDS);
    }

    PipelineYaml yaml(String otherBootstrapServers) {
        return new PipelineYaml(
                otherBootstrapServers, orders.topic(), group(), postgres.user(), endpoints, FreePort.take());
    }

    /// Starts the process and does not wait.
    Trial start(PipelineYaml yaml) throws IOException {
        var file = directory.resolve(name + "-" + trials.size() + ".yaml");
        Files.writeString(file, yaml.text());
        var trial = Trial.start(this, file, yaml);
        trials.add(trial);
        return trial;
    }

    /// Starts the process and waits until it is ready.
    Trial startReady(PipelineYaml yaml) throws Exception {
        var trial = start(yaml);
        trial.awaitReady();
        return trial;
    }

    @Override
    public void close() {
        trials.forEach(Trial::close);
        proxies.forEach(ChaosProxy::close);
        topics.close();
        admin.close(Duration.ofSeconds(5));
    }
}
