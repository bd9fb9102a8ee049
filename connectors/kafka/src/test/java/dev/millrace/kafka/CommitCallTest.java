package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitFlight.Answer;
import dev.millrace.checkpoint.CommitFlight.Send;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.IllegalGenerationException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class CommitCallTest {
    private static final SourcePartition ORDERS = new SourcePartition("orders", new TopicId("a"), 1);
    private static final SourcePartition PAYMENTS = new SourcePartition("payments", new TopicId("b"), 0);

    private static Send send() {
        var entries = new LinkedHashMap<SourcePartition, CommitEntry>();
        entries.put(ORDERS, new CommitEntry(10, 4, "t1.x"));
        entries.put(PAYMENTS, new CommitEntry(20, -1, ""));
        return new Send(1, entries);
    }

    @Test
    @Tag("SRC-10")
    void offsetsGoOutWithTheirLeaderEpochs() {
        assertThat(CommitCall.offsets(send()))
                .isEqualTo(Map.of(
                        new TopicPartition("orders", 1), new OffsetAndMetadata(10, Optional.of(4), "t1.x"),
                        new TopicPartition("payments", 0), new OffsetAndMetadata(20, Optional.empty(), "")));
    }

    @Test
    @Tag("CKP-12")
    void whatARebalanceBringsIsLaterAndOnlyFencingDropsState() {
        assertThat(CommitCall.answer(null, send())).isInstanceOf(Answer.Acknowledged.class);
        for (var brought : List.of(
                new CommitFailedException(),
                new RebalanceInProgressException(),
                new UnknownMemberIdException("gone"),
                new IllegalGenerationException(),
                new StaleMemberEpochException("stale")))
            assertThat(CommitCall.answer(brought, send()))
                    .as(brought.toString())
                    .isInstanceOf(Answer.Later.class);
        assertThat(CommitCall.answer(new FencedInstanceIdException("two"), send()))
                .isInstanceOf(Answer.Fenced.class);
    }

    @Test
    @Tag("CKP-8")
    void aTimeOutIsUnknownAndARefusalNamesWhomItCan() {
        for (var lost : List.of(
                new TimeoutException(), DisconnectException.INSTANCE, new RetriableCommitFailedException("later")))
            assertThat(CommitCall.answer(lost, send())).as(lost.toString()).isInstanceOf(Answer.Unknown.class);
        var named = CommitCall.answer(new TopicAuthorizationException(Set.of("orders")), send());
        assertThat(named)
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused -> assertThat(refused.who()).containsOnlyKeys(ORDERS));
        var unnamed = CommitCall.answer(new OffsetMetadataTooLarge("4097"), send());
        assertThat(unnamed).isInstanceOfSatisfying(Answer.Refused.class, refused -> {
            assertThat(refused.who()).isEmpty();
            assertThat(refused.reason()).contains("OffsetMetadataTooLarge");
        });
    }

    @Test
    @Tag("SRC-11")
    void aGroupOrALoginThatIsRefusedEndsTheProcess() {
        assertThat(CommitCall.fatal(GroupAuthorizationException.forGroupId("g")))
                .isTrue();
        assertThat(CommitCall.fatal(new SaslAuthenticationException("no"))).isTrue();
        assertThat(CommitCall.fatal(new FencedInstanceIdException("two"))).isTrue();
        assertThat(CommitCall.fatal(new TopicAuthorizationException(Set.of("orders"))))
                .isFalse();
        assertThat(CommitCall.fatal(null)).isFalse();
    }
}
