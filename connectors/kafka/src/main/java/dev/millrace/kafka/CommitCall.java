package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitFlight.Answer;
import dev.millrace.checkpoint.CommitFlight.Send;
import dev.millrace.checkpoint.SourcePartition;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.IllegalGenerationException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.jspecify.annotations.Nullable;

/// One commit in Kafka's words, and Kafka's answer in ours.
final class CommitCall {
    private CommitCall() {}

    static Map<TopicPartition, OffsetAndMetadata> offsets(Send send) {
        var offsets = new LinkedHashMap<TopicPartition, OffsetAndMetadata>();
        send.entries().forEach((partition, entry) -> offsets.put(kafka(partition), offset(entry)));
        return offsets;
    }

    static OffsetAndMetadata offset(CommitEntry entry) {
        Optional<Integer> leaderEpoch = entry.leaderEpoch() < 0 ? Optional.empty() : Optional.of(entry.leaderEpoch());
        return new OffsetAndMetadata(entry.offset(), leaderEpoch, entry.metadata());
    }

    static TopicPartition kafka(SourcePartition partition) {
        return new TopicPartition(partition.topic(), partition.partition());
    }

    /// What the client's exception, null for none, says of this commit.
    ///
    /// `CommitFailedException` is "later" on purpose: it says that this generation is over, and the next
    /// poll says what that means: a lost callback, which drops the state, or a new assignment. Only a
    /// fenced member drops it here.
    static Answer answer(@Nullable Exception failure, Send send) {
        return switch (failure) {
            case null -> new Answer.Acknowledged();
            case FencedInstanceIdException _ -> new Answer.Fenced();
            case CommitFailedException _,
                    RebalanceInProgressException _,
                    UnknownMemberIdException _,
                    IllegalGenerationException _,
                    StaleMemberEpochException _ -> new Answer.Later();
            case TopicAuthorizationException refused -> new Answer.Refused(said(refused), of(refused, send));
            case RetriableCommitFailedException _, RetriableException _ -> new Answer.Unknown();
            default -> new Answer.Refused(said(failure), Map.of());
        };
    }

    /// Whether the answer ends the process: nothing will ever be committed (SRC-11).
    static boolean fatal(@Nullable Exception failure) {
        return failure instanceof AuthenticationException
                || failure instanceof GroupAuthorizationException
                || failure instanceof FencedInstanceIdException;
    }

    private static String said(Exception failure) {
        return failure.getClass().getSimpleName() + ": " + failure.getMessage();
    }

    private static Map<SourcePartition, String> of(TopicAuthorizationException refused, Send send) {
        var who = new HashMap<SourcePartition, String>();
        for (var partition : send.entries().keySet())
            if (refused.unauthorizedTopics().contains(partition.topic())) who.put(partition, said(refused));
        return who;
    }
}
