package dev.millrace.clickhouse;

import dev.millrace.sinkpool.Finding;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Looks at the settings of one server, for the user who writes: whether it knows and takes those that
/// every insert brings.
///
/// Thread ownership: the thread that looks.
final class SettingsCheckup {
    private record Setting(String value, String min, String max, boolean fixed) {}

    private static final List<String> OTHERS = List.of(
            "readonly", "max_partitions_per_insert_block", "distributed_foreground_insert", "insert_distributed_sync");

    private final ClickHouseSettings settings;
    private final Questions questions;
    private final String where;
    private final List<Finding> findings;
    private final Map<String, Setting> server = new HashMap<>();

    SettingsCheckup(ClickHouseSettings settings, Questions questions, String where, List<Finding> findings) {
        this.settings = settings;
        this.questions = questions;
        this.where = where;
        this.findings = findings;
    }

    void look() throws InterruptedException, NotTold {
        var told = InsertSettings.told(settings);
        var asked = new TreeSet<>(told.keySet());
        asked.addAll(InsertSettings.NEEDED);
        asked.addAll(OTHERS);
        var names = asked.stream().map(ClickHouseWriter::literal).collect(Collectors.joining(", "));
        for (var row : questions.lines(
                "system.settings",
                5,
                "SELECT name, value, min, max, readonly FROM system.settings WHERE name IN (" + names + ")"))
            server.put(
                    row.getFirst(),
                    new Setting(row.get(1), row.get(2), row.get(3), !row.get(4).equals("0")));
        readOnly();
        lacks();
        told.forEach(this::taken);
        byDefault();
    }

    private String user() {
        return settings.login().writer();
    }

    private void readOnly() {
        var setting = server.get("readonly");
        if (setting != null && !setting.value().equals("0"))
            findings.add(Finding.fault(
                    where,
                    user() + " has readonly = " + setting.value() + ", and can insert nothing",
                    "give it a profile without readonly"));
    }

    private void lacks() {
        var lacking = new TreeSet<>(InsertSettings.NEEDED);
        lacking.removeAll(server.keySet());
        if (!lacking.isEmpty())
            findings.add(
                    Finding.fault(where, "it knows no " + String.join(", no ", lacking), "use a later ClickHouse"));
        var foreign = new TreeSet<>(settings.extra().keySet());
        foreign.removeAll(server.keySet());
        if (!foreign.isEmpty())
            findings.add(Finding.fault(
                    where,
                    "it knows no setting " + String.join(", no ", foreign) + ": it refuses every insert",
                    "leave it out of clickhouse.settings"));
        if (!server.containsKey("deduplicate_blocks_in_dependent_materialized_views"))
            findings.add(Finding.hazard(
                    where,
                    "it can't recognise a batch that is sent again in the tables behind views",
                    "use a later ClickHouse, or put no view behind the table"));
    }

    /// A profile may forbid to change a setting; to say what holds anyway is allowed.
    private void taken(String name, String wanted) {
        var setting = server.get(name);
        if (setting == null || same(setting.value(), wanted)) return;
        var why = setting.fixed()
                ? "forbids to set " + name
                : outside(wanted, setting) ? "keeps " + name + " within " + range(setting) : null;
        if (why != null)
            findings.add(Finding.fault(
                    where,
                    "the profile of " + user() + " " + why + ", which is " + setting.value() + " there and has to be "
                            + wanted + ": every insert is refused",
                    "take the constraint out of the profile, or give it that value"));
    }

    private static boolean same(String one, String other) {
        return one.equals(other) || bool(one).equals(bool(other));
    }

    private static String bool(String value) {
        return switch (value) {
            case "true" -> "1";
            case "false" -> "0";
            default -> value;
        };
    }

    private static boolean outside(String wanted, Setting setting) {
        var value = number(wanted);
        var min = number(setting.min());
        var max = number(setting.max());
        return value != null && ((min != null && value < min) || (max != null && value > max));
    }

    private static String range(Setting setting) {
        return setting.min().replace("\\N", "-") + " to " + setting.max().replace("\\N", "-");
    }

    private static @Nullable Double number(String text) {
        return text.matches("-?\\d{1,18}(\\.\\d{1,9})?") ? Double.valueOf(text) : null;
    }

    private void byDefault() {
        var async = server.get("async_insert");
        if (async != null && bool(async.value()).equals("1"))
            findings.add(Finding.note(
                    where,
                    "async_insert is on by default; every insert of ours says async_insert=0, so that it is"
                            + " acknowledged when it is stored",
                    ""));
    }

    /// Empty where it is not known.
    String mostPartitions() {
        var own = settings.extra().get("max_partitions_per_insert_block");
        var setting = server.get("max_partitions_per_insert_block");
        return own != null ? own : setting == null ? "" : setting.value();
    }

    /// An insert into a Distributed table is acknowledged when its shards have it.
    boolean waitsForShards() {
        for (var name : List.of("distributed_foreground_insert", "insert_distributed_sync")) {
            var own = settings.extra().get(name);
            var setting = server.get(name);
            if (own != null) return bool(own).equals("1");
            if (setting != null) return bool(setting.value()).equals("1");
        }
        return false;
    }
}
