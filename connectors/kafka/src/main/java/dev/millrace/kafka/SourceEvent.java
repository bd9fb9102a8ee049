package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitFlight;
import dev.millrace.checkpoint.Range;
import dev.millrace.checkpoint.Resolution;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// All that can happen to one group member. Everything the source machine learns comes as one of these.
public sealed interface SourceEvent {
    /// The partition is this member's from now on, and is read from `start`. `committed` is what the
    /// group has for it, null for nothing; `logEnd` is where its log ends, asked for only where what
    /// was open can't be read (−1 where unknown).
    record Assigned(
            SourcePartition partition,
            CommitEntry start,
            @Nullable CommitEntry committed,
            long logEnd) implements SourceEvent {
        public Assigned(SourcePartition partition, CommitEntry start, @Nullable CommitEntry committed) {
            this(partition, start, committed, -1);
        }
    }

    /// What one poll gave, also when that is nothing: then nothing more waits at the broker just now.
    record Polled(List<Batch> batches) implements SourceEvent {
        public Polled {
            batches = List.copyOf(batches);
        }
    }

    /// Of one partition: its records, null for none, and the position after them, past markers and
    /// holes.
    /// A person left out what comes before it since the batch before, where `leftOut` says so.
    record Batch(
            SourcePartition partition, @Nullable PolledRecords records, long next, int leaderEpoch, boolean leftOut) {
        public Batch(SourcePartition partition, @Nullable PolledRecords records, long next, int leaderEpoch) {
            this(partition, records, next, leaderEpoch, false);
        }

        static Batch leftOut(SourcePartition partition, long next) {
            return new Batch(partition, null, next, -1, true);
        }
    }

    /// Time passed.
    record Tick() implements SourceEvent {}

    record RangeResolved(Range range, Resolution resolution) implements SourceEvent {}

    record CommitAnswered(long attempt, CommitFlight.Answer answer) implements SourceEvent {}

    /// These are being taken away: what is in flight may finish until the shell says [Revoked]. Nothing
    /// but them is committed until then.
    record Revoking(Set<SourcePartition> partitions) implements SourceEvent {
        public Revoking {
            partitions = ordered(partitions);
        }
    }

    /// Asks for the forced commit of these, or with null of all: the answer is one command, or
    /// none when nothing is left.
    record CommitNow(@Nullable Set<SourcePartition> only) implements SourceEvent {}

    /// These are gone, whatever is in flight.
    record Revoked(Set<SourcePartition> partitions) implements SourceEvent {
        public Revoked {
            partitions = ordered(partitions);
        }
    }

    /// These are another member's already: nothing of them may be committed.
    record Lost(Set<SourcePartition> partitions) implements SourceEvent {
        public Lost {
            partitions = ordered(partitions);
        }
    }

    /// The topic is not what it was: deleted (`is` null), or deleted and made again.
    record TopicChanged(String topic, TopicId was, @Nullable TopicId is) implements SourceEvent {}

    /// Retention took `[position, logStart)`, which was not read.
    record OffsetsLost(SourcePartition partition, long position, long logStart) implements SourceEvent {}

    /// A person left out what comes before `next`: it is not read.
    record Skipped(SourcePartition partition, long next) implements SourceEvent {}

    /// The log ends, or differs from what was read, at `logEnd`, below `position`.
    record LogTruncated(SourcePartition partition, long position, long logEnd) implements SourceEvent {}

    /// The sink of this name makes rows differently from now on: its encoders are to be asked for
    /// again, and what was made before and is not sent is of no use.
    record LayoutChanged(String sink) implements SourceEvent {}

    /// In order, so that what follows from it is the same in every run of the machine.
    private static Set<SourcePartition> ordered(Set<SourcePartition> partitions) {
        return Collections.unmodifiableSortedSet(new TreeSet<>(partitions));
    }

    /// A batch with rows of this range is to be taken apart, and waits until the plan says so.
    record SplitAsked(Range range) implements SourceEvent {}

    /// A stop was asked for: what was polled is encoded while there is room, until `encodeUntilNanos`.
    record StopTaking(long encodeUntilNanos) implements SourceEvent {}
}
