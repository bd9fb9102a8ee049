package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// One scrape of a running pipeline against what is written of it: `docs/metrics.md`, the alerts and the dashboard.
@ExtendWith(LabExtension.class)
class SignalsTest {
    private static final Path ROOT = Path.of("..");
    private static final Path ALERTS = ROOT.resolve("deploy/prometheus/alerts.yml");
    private static final Path ALERTS_TEST = ROOT.resolve("deploy/prometheus/alerts.test.yml");
    private static final Path DASHBOARD = ROOT.resolve("deploy/grafana/dashboards/millrace.json");
    private static final Pattern PAGE_LINE = Pattern.compile("\\| `(\\w+)` \\(`[\\w.]+`\\) \\| (\\w+) \\|.*");
    private static final Pattern TYPE_LINE = Pattern.compile("# TYPE (\\w+) (\\w+)");

    /// What Prometheus itself makes of every target.
    private static final String UP = "up";

    /// A transaction hangs when it has done so for a minute: no test waits for that.
    private static final String HANGS = "millrace_transaction_hanging_seconds";

    private static final Set<String> NOT_HERE = Set.of(UP, HANGS);
    private static final Set<String> OF_THE_TARGET = Set.of("job", "instance");

    @Test
    @DisplayName("OPS-2: the page of metrics, every alert and every panel say what a running pipeline has, and no more")
    void whatIsWrittenOfAScrapeIsInIt(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var scrape = scrapeOfAPipelineWithAll(stage);
            pageSaysWhatIsThere(scrape);
            var queries = new LinkedHashMap<String, String>();
            alerts().forEach((name, rule) ->
                    queries.put("alert " + name, rule.at("/expr").asText()));
            panels(new ObjectMapper().readTree(DASHBOARD.toFile()), queries);
            assertThat(queries).hasSizeGreaterThan(40);
            var metrics = Metrics.parse(scrape);
            queries.forEach((where, query) -> isIn(metrics, where, query));
        }
    }

    @Test
    void everyAlertSaysHowBadItIsAndWhatToDoAndIsTried() throws IOException {
        var tried = Files.readString(ALERTS_TEST);
        var rules = alerts();
        assertThat(rules).hasSizeGreaterThan(15).allSatisfy((name, rule) -> {
            assertThat(rule.at("/labels/severity").asText()).isIn("critical", "warning");
            assertThat(rule.at("/annotations/summary").asText())
                    .contains("{{ $labels.")
                    .endsWith(".");
            assertThat(rule.at("/annotations/runbook").asText()).endsWith(".");
            assertThat(tried).contains("- name: " + name + "\n", "alertname=\"" + name + "\"");
        });
    }

    /// Whatever has series only while something holds has them there, save a transaction that hangs, which takes a
    /// minute.
    private static String scrapeOfAPipelineWithAll(Stage stage) throws Exception {
        stage.execute("create table t (id integer primary key, p integer)");
        stage.execute("create table shadow (id integer primary key, p integer)");
        var topic = stage.topic("signals");
        stage.topics().create(topic, 1);
        stage.topics().produce(Stage.rows(topic, 0, 0, 50));
        stage.topics().produce(List.of(Stage.row(topic, 0, "{\"id\":\"bad\",\"p\":0}")));
        var run = stage.start(stage.recipe("[ " + topic + " ]", "t", ", on_conflict: error")
                .sink("shadow", stage.postgres().user(), "shadow", ", on_conflict: ignore", stage.endpoint())
                .set("sinks.warehouse.inflight", "{ max_total: 1 }")
                .set("sinks.shadow.advisory", "true"));
        run.await("all committed", () -> stage.caughtUp(topic));
        run.await(
                "at rest, and all told",
                () -> run.metrics().has("millrace_lag")
                        && run.metrics().has("millrace_rows_poison_total")
                        && run.metrics().sum("millrace_inflight_rows") == 0);
        var scrape = run.pages().body("/metrics");
        assertThat(Metrics.parse(scrape).sum("millrace_rows_unaccounted"))
                .as("OPS-9")
                .isZero();
        assertThat(Metrics.parse(scrape).sum("millrace_rows_dead_lettered_total"))
                .isEqualTo(1);
        run.stop(0);
        return scrape;
    }

    private static void pageSaysWhatIsThere(String scrape) throws IOException {
        var page = new LinkedHashMap<String, String>();
        for (var line : Files.readAllLines(ROOT.resolve("docs/metrics.md"))) {
            var match = PAGE_LINE.matcher(line);
            if (match.matches()) page.put(match.group(1), match.group(2));
        }
        var there = new LinkedHashMap<String, String>();
        scrape.lines()
                .map(TYPE_LINE::matcher)
                .filter(match -> match.matches())
                .forEach(match -> there.put(match.group(1), match.group(2)));
        there.entrySet().removeIf(entry -> entry.getKey().endsWith("_seconds_max"));
        assertThat(page.remove(HANGS)).isEqualTo("gauge");
        there.remove(HANGS);
        // This one reads a log: an intake has these, and a program that embeds the pool.
        for (var of : List.of("millrace_front_", "millrace_intake_"))
            assertThat(page.keySet().removeIf(name -> name.startsWith(of)))
                    .as(of)
                    .isTrue();
        assertThat(there).hasSizeGreaterThan(60).containsExactlyInAnyOrderEntriesOf(page);
    }

    private static Map<String, JsonNode> alerts() throws IOException {
        var yaml = new Load(LoadSettings.builder().build()).loadFromString(Files.readString(ALERTS));
        JsonNode root = new ObjectMapper().valueToTree(yaml);
        var rules = new LinkedHashMap<String, JsonNode>();
        for (var group : root.at("/groups"))
            for (var rule : group.at("/rules")) rules.put(rule.at("/alert").asText(), rule);
        return rules;
    }

    private static void panels(JsonNode dashboard, Map<String, String> into) {
        for (var variable : dashboard.at("/templating/list")) {
            var query = variable.at("/query/query").asText();
            if (!query.isEmpty())
                into.put(
                        "variable " + variable.get("name").asText(),
                        query.replaceAll("label_values\\((.*), (\\w+)\\)", "sum by ($2) ($1)"));
        }
        for (var panel : dashboard.get("panels"))
            for (var target : panel.path("targets"))
                into.put(
                        "panel " + panel.get("title").asText() + " "
                                + target.get("refId").asText(),
                        target.get("expr").asText());
    }

    /// Every metric of a query has series, every label that it asks of one is on them with a value that fits, and what
    /// it sums by is on one of them.
    private static void isIn(Metrics metrics, String where, String query) {
        var parsed = Query.parse(query);
        assertThat(parsed.selectors()).as("%s: %s", where, query).isNotEmpty();
        var labels = new LinkedHashSet<String>();
        for (var selector : parsed.selectors()) {
            if (NOT_HERE.contains(selector.metric())) continue;
            var series = metrics.of(selector.metric()).keySet().stream()
                    .map(SignalsTest::labels)
                    .toList();
            assertThat(series)
                    .as("series of %s, which %s asks for", selector.metric(), where)
                    .isNotEmpty();
            series.forEach(one -> labels.addAll(one.keySet()));
            selector.matchers().forEach((label, values) -> {
                if (OF_THE_TARGET.contains(label)) return;
                for (var value : values)
                    assertThat(series)
                            .as("%s{%s=\"%s\"}, which %s asks for", selector.metric(), label, value, where)
                            .anySatisfy(one -> assertThat(one).containsEntry(label, value));
            });
        }
        labels.addAll(OF_THE_TARGET);
        if (!NOT_HERE.contains(parsed.selectors().getFirst().metric()))
            assertThat(labels).as("labels that %s sums by", where).containsAll(parsed.by());
    }

    private static Map<String, String> labels(String series) {
        var labels = new LinkedHashMap<String, String>();
        var match = Pattern.compile("(\\w+)=\"([^\"]*)\"").matcher(series);
        while (match.find()) labels.put(match.group(1), match.group(2));
        return labels;
    }

    /// As much of PromQL as alerts and panels use.
    private record Query(List<Selector> selectors, Set<String> by) {
        /// `matchers` has the values that a label may have there; none for what a variable of the dashboard says.
        record Selector(String metric, Map<String, List<String>> matchers) {}

        private static final Pattern BY = Pattern.compile("\\b(by|on|without|ignoring)\\s*\\(([^)]*)\\)");
        private static final Pattern SELECTOR =
                Pattern.compile("([a-z_][a-z0-9_]*)\\s*(?:\\{([^}]*)\\})?(?!\\s*\\()(?![a-z0-9_])");
        private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*=~?\\s*\"([^\"]*)\"");
        private static final Set<String> WORDS = Set.of("and", "or", "unless", "offset", "bool");

        static Query parse(String query) {
            var by = new LinkedHashSet<String>();
            Function<String, List<String>> words = text -> Pattern.compile("\\w+")
                    .matcher(text)
                    .results()
                    .map(it -> it.group())
                    .toList();
            BY.matcher(query).results().forEach(match -> by.addAll(words.apply(match.group(2))));
            var rest = BY.matcher(query).replaceAll(" ").replaceAll("\\[[^]]*]", " ");
            var selectors = new ArrayList<Selector>();
            SELECTOR.matcher(rest)
                    .results()
                    .filter(match -> !WORDS.contains(match.group(1)))
                    .forEach(match -> {
                        var matchers = new LinkedHashMap<String, List<String>>();
                        if (match.group(2) != null)
                            MATCHER.matcher(match.group(2))
                                    .results()
                                    .forEach(one -> matchers.put(
                                            one.group(1),
                                            one.group(2).startsWith("$")
                                                    ? List.of()
                                                    : List.of(one.group(2).split("\\|"))));
                        selectors.add(new Selector(match.group(1), matchers));
                    });
            return new Query(selectors, by);
        }
    }
}
