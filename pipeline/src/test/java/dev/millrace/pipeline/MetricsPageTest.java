package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.breaker.ReplicaView;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.kafka.AdvisoryAccount;
import dev.millrace.kafka.HangingTransaction;
import dev.millrace.kafka.PartitionView;
import dev.millrace.kafka.SourceCounters;
import dev.millrace.kafka.SourceView;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.FrontCounts;
import dev.millrace.sinkpool.FrontHealth;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.RowTally;
import dev.millrace.sinkpool.ShardCounts;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardStatus;
import dev.millrace.sinkpool.ShardView;
import dev.millrace.sinkpool.ShareView;
import dev.millrace.sinkpool.SlotUse;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/// Holds `docs/metrics.md` to what is registered. That a running pipeline has these and no others, `SignalsTest` holds.
class MetricsPageTest {
    private static final Path PAGE = Path.of("../docs/metrics.md");
    private static final ShardId SHARD = new ShardId("warehouse", "s0");
    private static final String HEAD = """
            # Metrics

            What `/metrics` has, made from the declarations that the meters are registered by; a test holds this page
            to them, and to the scrape of a running pipeline. Every series has the label `pipeline` besides those
            named here. A histogram `x` has the series `x_bucket`, `x_count` and `x_sum`, and beside it `x_max`, the
            longest of the last minutes. With `metrics.otlp` the same go out by OpenTelemetry, under the names in
            brackets.

            A gauge is computed when it is asked for. Counters begin at 0 with the process, and with each reload. What
            is unknown is no series; what is named under *only while* is not there otherwise. No label holds anything
            that came from a record.

            Which of them to look at first, and what to alert on: [alerts.yml](../deploy/prometheus/alerts.yml), and
            [the dashboard](../deploy/grafana/dashboards/millrace.json).
            """;

    private static final String TABLE = """


            | name | type | unit | labels | what it tells | only while |
            |---|---|---|---|---|---|
            """;

    /// One line of the page.
    private record Entry(
            String type, String unit, String dotted, List<String> labels, String tells, String onlyWhile) {}

    private final Scrape scrape = new Scrape();
    private final MeterRegistry registry = scrape.registry("test");

    private static ShardStatus shard() {
        var replica = new ShardView.Replica(
                new ReplicaView(0, ReplicaView.Phase.CLOSED, 0, Long.MAX_VALUE, 0, 0, 0, false, 1), null);
        var view = new ShardView(
                SHARD, true, 0, 2, 1, false, List.of(), 0, NanoClock.NEVER, NanoClock.NEVER, 0, List.of(replica));
        return new ShardStatus(
                SHARD,
                List.of(URI.create("blackhole")),
                ShardStatus.Worker.RUNNING,
                view,
                new ShardCounts(1),
                new SlotUse(0, 8));
    }

    /// Of which all is known, and on which all that can be wrong is.
    private static PartitionView partition() {
        var sink = new PartitionView.SinkRows(
                "warehouse", new RowTally(), new TreeMap<>(), new TreeMap<>(Map.of("fraction", 1L)), 0, 0, 0);
        return new PartitionView(
                new SourcePartition("orders", TopicId.UNKNOWN, 0),
                0,
                0,
                0,
                0,
                List.of(sink),
                0L,
                0L,
                0L,
                0,
                0,
                null,
                0L,
                new HangingTransaction(0, 1, null));
    }

    private void registerAll() {
        var budget = new AdmissionBudget(10, 1_000, 0.5);
        var source = new SourceView(true, 0, 1, List.of(), List.of(partition()), new SourceCounters());
        var metrics = new PipelineMetrics(
                registry,
                new PipelineMetrics.Sources(
                        NanoClock.SYSTEM,
                        () -> new Snapshot.InFlight(0, 0, 10, 1_000),
                        () -> source,
                        () -> List.of(shard()),
                        () -> Map.of("warehouse", new Guarantee(Guarantee.Level.L2, "it remembers")),
                        () -> RunningFile.none(Instant.EPOCH),
                        () -> Map.of("warehouse", Map.of()),
                        List.of(() ->
                                new AdvisoryView("shadow", true, new AdvisoryAccount(), budget, List.of(shard())))));
        metrics.refresh();
        IntakeMetrics.register(registry, () -> Account.NONE);
        var share = new ShareView(0, 1, 0, 1, 0, 0);
        FrontMetrics.register(
                registry,
                "warehouse",
                () -> new FrontHealth(FrontHealth.State.OPEN, share, share, new FrontCounts(), List.of(shard())));
    }

    private Map<String, Entry> entries() {
        var own = new LinkedHashMap<String, Metric>();
        for (var metric : Metric.values()) own.put(metric.meterName(), metric);
        var entries = new LinkedHashMap<String, Entry>();
        var meters = new ArrayList<>(registry.getMeters());
        var order = List.copyOf(own.keySet());
        meters.sort(Comparator.<Meter>comparingInt(
                        meter -> order.contains(meter.getId().getName())
                                ? order.indexOf(meter.getId().getName())
                                : Integer.MAX_VALUE)
                .thenComparing(meter -> meter.getId().getName()));
        for (var meter : meters) {
            var id = meter.getId();
            var metric = own.get(id.getName());
            entries.putIfAbsent(
                    scraped(id),
                    new Entry(
                            type(id.getType()),
                            id.getType() == Meter.Type.TIMER ? "seconds" : String.valueOf(id.getBaseUnit()),
                            id.getName(),
                            id.getTags().stream()
                                    .map(Tag::getKey)
                                    .filter(key -> !key.equals("pipeline"))
                                    .toList(),
                            metric == null ? String.valueOf(id.getDescription()) : metric.tells(),
                            metric == null ? "" : metric.onlyWhile()));
        }
        return entries;
    }

    private String scraped(Meter.Id id) {
        var name = id.getConventionName(registry.config().namingConvention());
        return id.getType() == Meter.Type.COUNTER ? name + "_total" : name;
    }

    private static String type(Meter.Type type) {
        return type == Meter.Type.TIMER ? "histogram" : type.name().toLowerCase(Locale.ROOT);
    }

    private String page() {
        var page = new StringBuilder(HEAD);
        var entries = entries();
        table(page, "The pipeline", entries, "millrace_");
        table(page, "The process", entries, "");
        return page.toString();
    }

    private static void table(StringBuilder page, String title, Map<String, Entry> entries, String prefix) {
        page.append("\n## ").append(title).append(TABLE);
        entries.forEach((name, entry) -> {
            if (name.startsWith("millrace_") == prefix.isEmpty()) return;
            page.append("| `")
                    .append(name)
                    .append("` (`")
                    .append(entry.dotted())
                    .append("`) | ");
            page.append(entry.type()).append(" | ");
            page.append(entry.unit().equals("null") ? "" : entry.unit()).append(" | ");
            page.append(String.join(", ", entry.labels())).append(" | ");
            page.append(entry.tells().replace("|", "\\|")).append(" | ");
            page.append(entry.onlyWhile()).append(" |\n");
        });
    }

    @Test
    @DisplayName("OPS-2: the page of metrics is the one of what is registered")
    void thePageIsTheOneOfWhatIsRegistered() throws IOException {
        registerAll();
        var text = page();
        if (Boolean.getBoolean("millrace.golden.write")) Files.writeString(PAGE, text);
        assertThat(text)
                .as("%s; write it anew with -Dmillrace.golden.write=true", PAGE)
                .isEqualTo(Files.exists(PAGE) ? Files.readString(PAGE) : "");
    }

    @Test
    void everyMeterThatIsDeclaredIsRegistered() {
        registerAll();
        assertThat(registry.getMeters().stream()
                        .map(meter -> meter.getId().getName())
                        .filter(name -> name.startsWith("millrace.")))
                .containsAll(Stream.of(Metric.values()).map(Metric::meterName).toList());
    }
}
