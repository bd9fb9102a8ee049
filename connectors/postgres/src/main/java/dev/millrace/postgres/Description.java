package dev.millrace.postgres;

import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.ShardId;
import java.util.List;

/// What asking the shards for their table came to. Closed: switches over it have no default.
public sealed interface Description {
    /// The tables are there and alike, and may be written to. `unseen` shards could not be asked.
    record Described(TableDescription table, List<ShardId> unseen) implements Description {
        public Described {
            unseen = List.copyOf(unseen);
        }
    }

    /// No shard answered. Ask again later; nothing can be encoded before.
    record NotReachable(Failure failure) implements Description {}

    /// A server answered, and this can't work: `reason` is one line for a person (CFG-10).
    record Refused(String reason) implements Description {}
}
