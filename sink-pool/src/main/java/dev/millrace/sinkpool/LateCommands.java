package dev.millrace.sinkpool;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// What a step of the machine decided and what waits for its end: attempts that became possible start first (WRT-7).
///
/// Counts what it settles, when it is decided.
///
/// Thread ownership: the shard machine that created it.
final class LateCommands {
    private final ShardCounts counts;
    private final List<ShardCommand> commands = new ArrayList<>();

    LateCommands(ShardCounts counts) {
        this.counts = counts;
    }

    void add(ShardCommand command) {
        commands.add(command);
    }

    void tell(ShardNote note) {
        add(new ShardCommand.Tell(note));
    }

    void settle(EncodedChunk chunk, RowCounts ended) {
        counts.settled(ended);
        add(new ShardCommand.Settle(chunk, ended));
    }

    void settle(EncodedChunk chunk, Ending ending) {
        settle(chunk, RowCounts.all(chunk.rows(), ending));
    }

    void settle(List<RowEndings.Done> done) {
        for (var one : done) settle(one.chunk(), one.counts());
    }

    void carryOut(Consumer<ShardCommand> out) {
        commands.forEach(out);
        commands.clear();
    }

    /// What was decided and counted, but perhaps not carried out, when the shell failed in between.
    List<ShardCommand.Settle> owed() {
        return commands.stream()
                .filter(ShardCommand.Settle.class::isInstance)
                .map(ShardCommand.Settle.class::cast)
                .toList();
    }
}
