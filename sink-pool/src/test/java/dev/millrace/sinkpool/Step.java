package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;

/// What a shard machine asked for in answer to one event, in order.
record Step(List<ShardCommand> commands) {
    Step {
        commands = List.copyOf(commands);
    }

    private <C extends ShardCommand> List<C> all(Class<C> kind) {
        return commands.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    List<ShardCommand.StartAttempt> started() {
        return all(ShardCommand.StartAttempt.class);
    }

    /// The one attempt that this event started.
    ShardCommand.StartAttempt start() {
        assertThat(started()).as("attempts started").hasSize(1);
        return started().getFirst();
    }

    List<ShardCommand.StartPing> pinged() {
        return all(ShardCommand.StartPing.class);
    }

    ShardCommand.StartPing ping() {
        assertThat(pinged()).as("pings started").hasSize(1);
        return pinged().getFirst();
    }

    List<Long> cancelled() {
        return all(ShardCommand.CancelAttempt.class).stream()
                .map(ShardCommand.CancelAttempt::attempt)
                .toList();
    }

    List<ShardCommand.Settle> settled() {
        return all(ShardCommand.Settle.class);
    }

    List<Ending> endings() {
        return settled().stream().map(settle -> ending(settle.counts())).toList();
    }

    /// How all rows of a chunk ended.
    static Ending ending(RowCounts counts) {
        for (var ending : Ending.values()) if (counts.of(ending) == counts.rows()) return ending;
        throw new AssertionError("rows of one chunk ended differently: " + counts);
    }

    /// The tenants of each slot that it asked for.
    List<Set<String>> askedSlots() {
        return all(ShardCommand.AskSlot.class).stream()
                .map(ShardCommand.AskSlot::tenants)
                .toList();
    }

    List<Long> slotsBack() {
        return all(ShardCommand.GiveSlotBack.class).stream()
                .map(ShardCommand.GiveSlotBack::slot)
                .toList();
    }

    List<ShardCommand.DeadLetter> deadLetters() {
        return all(ShardCommand.DeadLetter.class);
    }

    <N extends ShardNote> List<N> told(Class<N> kind) {
        return all(ShardCommand.Tell.class).stream()
                .map(ShardCommand.Tell::note)
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }

    List<SealedBatch> sealed() {
        return told(ShardNote.Sealed.class).stream()
                .map(ShardNote.Sealed::batch)
                .toList();
    }

    boolean finished() {
        return !all(ShardCommand.Finished.class).isEmpty();
    }

    /// Nothing but notes.
    boolean quiet() {
        return commands.stream().allMatch(ShardCommand.Tell.class::isInstance);
    }
}
