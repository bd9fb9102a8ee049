package dev.millrace.cli.proof;

import dev.millrace.lab.LabPostgres;
import dev.millrace.lab.Topics;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/// The parts of one test that makes its own topics and tables: a database, a group, names that nobody has used.
///
/// Thread ownership: the test's thread.
final class Stage implements AutoCloseable {
    private final String name;
    private final String bootstrapServers;
    private final LabPostgres postgres;
    private final Topics topics;
    private final Admin admin;
    private final List<InProcess> runs = new ArrayList<>();

    Stage(SharedLab lab) {
        this(lab, lab.bootstrapServers());
    }

    /// With a broker of the test's own.
    Stage(SharedLab lab, String bootstrapServers) {
        this.name = lab.fresh();
        this.bootstrapServers = bootstrapServers;
        this.postgres = lab.postgres();
        postgres.createDatabase(name);
        topics = new Topics(bootstrapServers);
        admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers));
    }

    /// Also the database's name.
    String name() {
        return name;
    }

    String topic(String suffix) {
        return name + "-" + suffix;
    }

    String group() {
        return name + "-ingest";
    }

    String bootstrapServers() {
        return bootstrapServers;
    }

    Topics topics() {
        return topics;
    }

    Admin admin() {
        return admin;
    }

    LabPostgres postgres() {
        return postgres;
    }

    static <T> T done(KafkaFuture<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }

    void execute(String sql) {
        postgres.execute(name, sql);
    }

    List<String> query(String sql) {
        return postgres.query(name, sql);
    }

    long count(String table) {
        return postgres.count(name, table);
    }

    /// Reads topics, given as YAML, and says nothing of a sink.
    Recipe recipe(String topicsYaml) {
        return Recipe.of(bootstrapServers, group(), topicsYaml);
    }

    /// Into a table of this stage's database.
    Recipe recipe(String topicsYaml, String table, String more) {
        return recipe(topicsYaml).postgres(postgres.user(), table, more, endpoint());
    }

    String endpoint() {
        return "postgres://" + postgres.host() + ":" + postgres.port() + "/" + name;
    }

    InProcess start(Recipe recipe) {
        var run = InProcess.start(recipe);
        runs.add(run);
        return run;
    }

    /// Whether the group has committed all there is of these.
    boolean caughtUp(String... names) {
        var committed = topics.committed(group());
        var ends = new HashMap<TopicPartition, Long>();
        for (var topic : names) ends.putAll(topics.endOffsets(topic));
        return ends.entrySet().stream()
                .allMatch(end -> committed.getOrDefault(end.getKey(), 0L).equals(end.getValue()));
    }

    /// Rows `{"id":…,"p":…}` for one partition, which `p` names.
    static List<ProducerRecord<byte[], byte[]>> rows(String topic, int partition, int first, int count) {
        return IntStream.range(first, first + count)
                .mapToObj(id -> row(topic, partition, "{\"id\":" + id + ",\"p\":" + partition + "}"))
                .toList();
    }

    static ProducerRecord<byte[], byte[]> row(String topic, int partition, String value) {
        return new ProducerRecord<>(topic, partition, null, value.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        runs.forEach(InProcess::close);
        admin.close();
        topics.close();
    }
}
