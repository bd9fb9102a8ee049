package dev.millrace.testkit;

import dev.millrace.testkit.Mutant.Edit;
import java.util.List;

/// Bugs to plant where writes are limited over the shards of a sink.
final class SlotMutants {
    private SlotMutants() {}

    static List<Mutant> all() {
        return List.of(
                mutant(
                        "WRT-8: slots are granted in the order of asking",
                        "FairSlots",
                        "if (first == null || goesBefore(ask, first)) first = ask;",
                        "if (first == null) first = ask;"),
                mutant(
                        "WRT-8: a tenant's second goes before another's first",
                        "FairSlots",
                        "return fewer != 0 ? fewer < 0 : leastServed(ask) < leastServed(longer);",
                        "return fewer < 0;"),
                mutant("WRT-8: one more than the total", "FairSlots", "out.size() < total", "out.size() <= total"),
                mutant(
                        "WRT-8: a worker that dies keeps its slots",
                        "FairSlots",
                        "for (var one : List.copyOf(out.entrySet())) if (one.getValue().shard() == shard) free(one.getKey());",
                        ""),
                mutant(
                        "WRT-8: an attempt at its deadline keeps its slot",
                        "Dispatcher",
                        "slots.ended(attempt.id());",
                        ""),
                mutant("WRT-8: an attempt that is over keeps its slot", "Dispatcher", "slots.ended(id);", ""),
                mutant(
                        "WRT-8: a slot that nobody wants any more is kept",
                        "ShardSlots",
                        "if (granted != NONE) back.add(granted);",
                        ""),
                mutant(
                        "WRT-8: a shard asks once",
                        "ShardSlots",
                        "granted = slot;\n        asked = false;",
                        "granted = slot;"));
    }

    private static Mutant mutant(String name, String type, String snippet, String replacement) {
        return new Mutant(name, "sink-pool", "dev.millrace.sinkpool." + type, new Edit(snippet, replacement));
    }
}
