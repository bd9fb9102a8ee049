package dev.millrace.config;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What is read from Kafka, by which group, and what happens where an offset is missing.
///
/// `consumers` group members run in this process, one thread each. `startupTimeout` bounds the wait for a
/// broker, `rebalanceDrainTimeout` what a revoke may take. `properties` holds checked client settings, with
/// what a `login` makes of itself there; null for none. Of what else Millrace sets itself it holds nothing.
public record KafkaSourceConfig(
        List<HostPort> bootstrapServers,
        Topics topics,
        String groupId,
        int consumers,
        OnNoOffset onNoOffset,
        OnLostOffset onLostOffset,
        List<SkippedOffsets> skip,
        Duration startupTimeout,
        Duration rebalanceDrainTimeout,
        GroupProtocol groupProtocol,
        @Nullable KafkaLogin login,
        KafkaProperties properties)
        implements SourceConfig {
    public KafkaSourceConfig {
        bootstrapServers = List.copyOf(bootstrapServers);
        skip = List.copyOf(skip);
        Require.atLeast("bootstrapServers", bootstrapServers.size(), 1);
        Require.matches("groupId", !groupId.isBlank(), groupId);
        Require.atLeast("consumers", consumers, 1);
        Require.positive("startupTimeout", startupTimeout);
        Require.notNegative("rebalanceDrainTimeout", rebalanceDrainTimeout);
    }

    @Override
    public String startupTimeoutText() {
        return "source.kafka.startup_timeout " + startupTimeout.toMillis() + " ms";
    }

    /// For a group that has no offset at all; partitions that appear later start at their beginning.
    public enum OnNoOffset {
        FAIL,
        EARLIEST,
        LATEST
    }

    /// When retention or truncation took the committed offset.
    public enum OnLostOffset {
        HALT,
        CONTINUE
    }

    /// How the group agrees on who reads what: classic is the cooperative protocol, consumer that of KIP-848.
    public enum GroupProtocol {
        CLASSIC,
        CONSUMER
    }
}
