package dev.millrace.postgres;

import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.ShardId;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/// What asking the shards for their table came to. Closed: switches over it have no default.
public sealed interface Description {
    /// The tables are there and alike, and may be written to. `unseen` shards could not be asked. `hazards` are what a
    /// person should know of these tables, a line each.
    record Described(TableDescription table, List<ShardId> unseen, SortedSet<String> hazards) implements Description {
        public Described {
            unseen = List.copyOf(unseen);
            hazards = Collections.unmodifiableSortedSet(new TreeSet<>(hazards));
        }
    }

    /// No shard answered. Ask again later; nothing can be encoded before.
    record NotReachable(Failure failure) implements Description {}

    /// A server answered, and this can't work: `reason` is one line for a person (CFG-10).
    record Refused(String reason) implements Description {}
}
