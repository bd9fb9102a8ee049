package dev.millrace.clickhouse;

import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.ShardId;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What asking the shards for their table came to. Closed: switches over it have no default.
public sealed interface Description {
    /// The table is there. `version` is the oldest that answered. `knownSettings` are those that
    /// not every version has, and that every server here has. `unseen` shards could not be asked.
    /// `hazards` are what a person should know, a line each. `layout` is null where rows are sent
    /// as they are.
    record Described(
            String version,
            SortedSet<String> knownSettings,
            List<ShardId> unseen,
            Interrupted interrupted,
            SortedSet<String> hazards,
            @Nullable TableLayout layout)
            implements Description {
        public Described {
            knownSettings = Collections.unmodifiableSortedSet(new TreeSet<>(knownSettings));
            unseen = List.copyOf(unseen);
            hazards = Collections.unmodifiableSortedSet(new TreeSet<>(hazards));
        }
    }

    /// What becomes of the rows of an insert that was interrupted, once the same again was told to
    /// be written.
    enum Interrupted {
        /// They are stored.
        STORED,
        /// A server may lose them; the sink reads whether they are there before it believes.
        VERIFIED,
        /// A server may lose them, and nobody notices: at least once is not kept.
        MAY_BE_LOST
    }

    /// No shard answered. Ask again later.
    record NotReachable(Failure failure) implements Description {}

    /// A server answered, and this can't work: `reason` is one line for a person (CFG-10).
    record Refused(String reason) implements Description {}
}
