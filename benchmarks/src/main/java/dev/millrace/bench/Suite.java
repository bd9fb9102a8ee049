package dev.millrace.bench;

import dev.millrace.bench.SuiteArm.Twist;
import dev.millrace.lab.Topics;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/// Reads topics by turns with bare loops and with pipelines, every process apart: this one fills topics and asks, a
/// [Station] for each program reads, and broker and stores have processes of their own.
///
/// Invariant: after every reading, also one that only warms up, the sink has each healthy record once, or the run
/// ends.
///
/// Thread ownership: the command's thread.
final class Suite {
    /// How much of it: `megabytes` of values in a whole topic, read once by each arm in each of `rounds` after
    /// `warmUps` readings by each; `seconds` of records at a constant rate; heap for each station; and whether each
    /// program has a station of its own.
    record Extent(int megabytes, int rounds, int warmUps, int seconds, int heapMegabytes, boolean apart) {}

    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final int MOST_LIVE_ROUNDS = 3;
    private static final long LOOK_NANOS = 1_000_000L;
    private static final int UNKNOWN_RATE = 5_000;
    private static final int MOST_RATE = 100_000;
    private static final String THROUGHPUT = "sinks/postgres";

    private final Extent extent;
    private final List<SuiteGroup> groups;
    private final PrintStream progress;
    private final Results results = new Results();
    private final Map<String, Station> stations = new LinkedHashMap<>();
    private final Map<Shape, FilledTopic> topics = new HashMap<>();
    private int readings;

    /// `progress` gets a line for each thing that is done.
    Suite(Extent extent, List<SuiteGroup> groups, PrintStream progress) {
        this.extent = extent;
        this.groups = groups.stream().filter(group -> !group.arms().isEmpty()).toList();
        this.progress = progress;
    }

    Results run() throws InterruptedException {
        if (groups.isEmpty()) throw new BenchFailure("no arm has such a name");
        try (var stores = new Stores()) {
            for (var i = 0; i < groups.size(); i++) {
                run(groups.get(i), stores);
                forget(groups.subList(i + 1, groups.size()), stores);
            }
            return results;
        } finally {
            stations.values().forEach(Station::close);
        }
    }

    private void run(SuiteGroup group, Stores stores) throws InterruptedException {
        var arms =
                group.arms().stream().filter(arm -> there(group, arm, stores)).toList();
        for (var arm : arms) {
            if (arm.twist().live()) continue;
            if (!topics.containsKey(arm.shape())) topics.put(arm.shape(), fill(arm.shape(), stores));
        }
        var live = arms.stream().anyMatch(arm -> arm.twist().live());
        for (var n = 1; n <= (live ? 0 : extent.warmUps()); n++)
            for (var arm : arms) tell(group, arm, "warm-up " + n, read(arm, stores, 0, group));
        var rounds = live ? Math.min(extent.rounds(), MOST_LIVE_ROUNDS) : extent.rounds();
        for (var n = 1; n <= rounds; n++) {
            // What one arm leaves behind hits another in every second round.
            for (var arm : n % 2 == 1 ? arms : arms.reversed()) {
                var measured = read(arm, stores, n, group);
                results.add(measured);
                tell(group, arm, "round " + n + " of " + rounds, measured);
            }
        }
    }

    private boolean there(SuiteGroup group, SuiteArm arm, Stores stores) {
        var lacks = stores.lacks(arm.program());
        if (lacks == null) return true;
        results.skip(group.path(arm), lacks);
        line(group.path(arm) + ": skipped: " + lacks);
        return false;
    }

    private FilledTopic fill(Shape shape, Stores stores) {
        line("filling: " + shape.text());
        return FilledTopic.fill(stores.broker().bootstrapServers(), shape, shape.records(extent.megabytes()));
    }

    /// Ends the stations and deletes the topics of which no later group makes use.
    private void forget(List<SuiteGroup> later, Stores stores) {
        var arms = later.stream().flatMap(group -> group.arms().stream()).toList();
        var wanted = arms.stream().map(arm -> station(arm.program())).collect(Collectors.toSet());
        stations.entrySet().removeIf(station -> {
            if (wanted.contains(station.getKey())) return false;
            station.getValue().close();
            return true;
        });
        var shapes = arms.stream().map(SuiteArm::shape).collect(Collectors.toSet());
        try (var admin = new Topics(stores.broker().bootstrapServers())) {
            topics.values().removeIf(topic -> {
                if (shapes.contains(topic.shape())) return false;
                admin.delete(topic.name());
                return true;
            });
        }
    }

    private String station(Program program) {
        if (program.bare()) return "bare";
        return extent.apart() ? "pipeline-" + program.name().toLowerCase(Locale.ROOT) : "pipeline";
    }

    private Measured read(SuiteArm arm, Stores stores, int round, SuiteGroup group) throws InterruptedException {
        readings++;
        var name = station(arm.program());
        var station = stations.computeIfAbsent(
                name, _ -> Station.start(name, arm.program().bare() ? "bare" : "pipeline", extent.heapMegabytes()));
        var asked = new HashMap<String, String>();
        asked.put("servers", stores.broker().bootstrapServers());
        asked.put("broker", Long.toString(stores.broker().pid()));
        asked.put("sink", joined(stores.pids(arm.program())));
        asked.put(
                "idle",
                joined(stations.values().stream()
                        .filter(other -> other != station)
                        .map(Station::pid)
                        .toList()));
        stores.empty(arm.program());
        var topic = arm.twist().live()
                ? readLive(arm, stores, station, asked)
                : readAll(arm, stores, station, asked, topicOf(arm));
        stores.verify(arm, topic.topic(), topic.reading());
        return new Measured(group, arm, topic.topic(), round, topic.reading());
    }

    private record Read(FilledTopic topic, Reading reading) {}

    private FilledTopic topicOf(SuiteArm arm) {
        return Objects.requireNonNull(topics.get(arm.shape()), arm::name);
    }

    private Read readAll(SuiteArm arm, Stores stores, Station station, Map<String, String> asked, FilledTopic topic)
            throws InterruptedException {
        asked.put("topic", topic.name());
        asked.put("partitions", Integer.toString(topic.shape().partitions()));
        asked.put("records", Long.toString(topic.records()));
        asked.put("poison", Long.toString(topic.poison()));
        asked.put("skip_millis", "0");
        if (arm.program().bare()) {
            asked.put("reads", Boolean.toString(arm.program() == Program.BARE_SUM));
            return new Read(topic, Reading.of(station.ask(new Words(asked))));
        }
        return new Read(topic, readPipeline(arm, stores, station, asked, topic.name()));
    }

    /// Of records that are sent while it reads, from when it reads; where a second member joins, until it has left. A
    /// fifth of the time is left out of the delays: the group gathers then.
    private Read readLive(SuiteArm arm, Stores stores, Station station, Map<String, String> asked)
            throws InterruptedException {
        var servers = stores.broker().bootstrapServers();
        var topic = "suite-live-" + readings;
        var rate = rate();
        var records = (long) rate * extent.seconds();
        var joined = arm.twist() == Twist.LIVE_JOINED;
        try (var admin = new Topics(servers)) {
            admin.create(topic, arm.shape().partitions());
        }
        var signals = Signals.make();
        asked.put("records", Long.toString(records));
        asked.put("poison", "0");
        asked.put("signals", signals.folder().toString());
        asked.put("joined", Boolean.toString(joined));
        asked.put("skip_millis", Long.toString(extent.seconds() * 1000L / 5));
        var ended = new AtomicBoolean();
        var sent = CompletableFuture.supplyAsync(
                () -> {
                    await(signals, ended);
                    var filled = FilledTopic.send(
                            servers,
                            topic,
                            arm.shape(),
                            rate,
                            n -> !ended.get() && (n < records || (joined && !signals.given(Signals.LEFT))));
                    signals.give(Signals.SENT, filled.records());
                    return filled;
                },
                task -> Thread.ofPlatform().daemon().name("suite-load").start(task));
        try {
            var reading = readPipeline(arm, stores, station, asked, topic);
            return new Read(sent.join(), reading);
        } catch (CompletionException failure) {
            throw new BenchFailure("the load was not sent: " + failure.getCause());
        } finally {
            ended.set(true);
            sent.handle((_, _) -> true).join();
            signals.delete();
        }
    }

    /// Until the pipeline reads, or will not.
    private static void await(Signals signals, AtomicBoolean ended) {
        while (!signals.given(Signals.READS) && !ended.get()) LockSupport.parkNanos(LOOK_NANOS);
    }

    private Reading readPipeline(SuiteArm arm, Stores stores, Station station, Map<String, String> asked, String topic)
            throws InterruptedException {
        var file = temporary(stores.file(arm.program()).text(arm, topic, "suite-" + readings));
        try {
            asked.put("file", file.toString());
            asked.put("discards", Boolean.toString(arm.program() == Program.ROW_BINARY_BLACKHOLE));
            return Reading.of(station.ask(new Words(asked)));
        } finally {
            delete(file);
        }
    }

    /// Half of what this run has seen the same pipeline take.
    private int rate() {
        var known = results.all().stream()
                .filter(one -> one.group().path(one.arm()).equals(THROUGHPUT))
                .mapToDouble(Measured::rowsPerSecond)
                .toArray();
        return known.length == 0
                ? UNKNOWN_RATE
                : (int) Math.min(MOST_RATE, Figures.of(known).median() / 2);
    }

    private static Path temporary(String text) {
        try {
            return Files.writeString(Files.createTempFile("millrace-suite-", ".yaml"), text);
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot write a pipeline's file", failure);
        }
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot delete " + file, failure);
        }
    }

    private static String joined(List<Long> pids) {
        return pids.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    private void tell(SuiteGroup group, SuiteArm arm, String what, Measured measured) {
        line(String.format(
                Locale.ROOT,
                "%s %s: %,.0f rows/s, %.2f CPU s/GB",
                group.path(arm),
                what,
                measured.rowsPerSecond(),
                measured.cpuPerGigabyte()));
    }

    private void line(String text) {
        progress.println(LocalTime.now(ZoneId.systemDefault()).format(CLOCK) + " " + text);
        progress.flush();
    }
}
