package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitFlight;
import dev.millrace.checkpoint.SourcePartition;
import java.util.Map;
import java.util.Set;

/// All that the source machine can ask of the consumer thread. Carried out in order.
public sealed interface SourceCommand {
    /// Poll these no further for now.
    record Pause(Set<SourcePartition> partitions, PauseReason reason) implements SourceCommand {}

    record Resume(Set<SourcePartition> partitions) implements SourceCommand {}

    /// `andWait`: nothing goes on before its answer.
    record Commit(CommitFlight.Send send, boolean andWait) implements SourceCommand {}

    /// Read on at `offset`, which retention left.
    record SeekTo(SourcePartition partition, long offset) implements SourceCommand {}

    /// Read again from `from`, in place: the partition stays assigned, and paused if it is.
    record ReadAgain(SourcePartition partition, CommitEntry from) implements SourceCommand {}

    /// Its plan says that these shards, by the hashes of their names, acknowledged these tokens,
    /// by their first bytes: they are asked whether they have them still (EO-13).
    record AskFor(SourcePartition partition, Map<Integer, Long> newestTokens) implements SourceCommand {}

    /// Something worth a log line. Nothing depends on it.
    record Tell(String event, String text) implements SourceCommand {}

    /// After a stop was asked for: all that was taken and can be encoded was handed over.
    record InputFinished() implements SourceCommand {}

    /// The process has to end, with this code and this one line. The member goes on polling until it is
    /// told to finish.
    record Stop(int exitCode, String reason) implements SourceCommand {}
}
