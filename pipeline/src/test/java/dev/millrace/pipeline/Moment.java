package dev.millrace.pipeline;

import dev.millrace.breaker.ReplicaView;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.config.Redaction;
import dev.millrace.kafka.HangingTransaction;
import dev.millrace.kafka.MemberView;
import dev.millrace.kafka.PartitionView;
import dev.millrace.kafka.SourceCounters;
import dev.millrace.kafka.SourceView;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardCounts;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardStatus;
import dev.millrace.sinkpool.ShardView;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A pipeline at one moment, put together by a test: healthy where the test says nothing.
final class Moment {
    static final long SECOND = 1_000_000_000L;
    static final Failure REFUSED =
            new Failure("08001", "logging in: no connection (PSQLException: Connection to db refused.)", false);
    static final SourcePartition ORDERS = new SourcePartition("orders", TopicId.UNKNOWN, 3);

    long now = 1_000 * SECOND;
    boolean started = true;
    boolean ready = true;
    long turnAge;
    long unassigned;
    long commitsFail;
    long brokersSilent;

    @Nullable
    String waitsFor;

    @Nullable
    Long pausedSince;

    @Nullable
    Long ends;

    @Nullable
    IntakeView posted;

    final List<PartitionView> partitions = new ArrayList<>();
    final List<ShardStatus> shards = new ArrayList<>();
    final Map<String, Guarantee> guarantees = new LinkedHashMap<>();
    final Map<String, Map<String, Long>> unknownFields = new TreeMap<>();
    final Pulse pulse = new Pulse();
    final EventRing events = new EventRing();

    static ShardView.Replica replica(int index, ReplicaView.Phase phase, @Nullable Failure failure) {
        var ends = phase == ReplicaView.Phase.OPEN ? 1_003 * SECOND : NanoClock.NEVER;
        return new ShardView.Replica(new ReplicaView(index, phase, 990 * SECOND, ends, 1, 1, 0, false, 1), failure);
    }

    static ShardView.Held held(long rows, boolean blocked, @Nullable Failure failure) {
        return new ShardView.Held(
                7, 0, rows, 5, !blocked, blocked, ShardView.Place.PERMIT, null, 900 * SECOND, failure, Set.of(ORDERS));
    }

    /// Its replicas are at db-a:1, db-b:1 and so on.
    ShardStatus shard(String name, List<ShardView.Held> held, ShardView.Replica... replicas) {
        var usable = List.of(replicas).stream().anyMatch(one -> one.state().phase() == ReplicaView.Phase.CLOSED);
        var endpoints = new ArrayList<URI>();
        for (var i = 0; i < replicas.length; i++)
            endpoints.add(URI.create("postgres://db-" + (char) ('a' + i) + ":1/shop"));
        var id = new ShardId("warehouse", name);
        var status = new ShardStatus(
                id,
                endpoints,
                ShardStatus.Worker.RUNNING,
                new ShardView(
                        id, usable, 0, 2, SECOND, false, held, 0, NanoClock.NEVER, 999 * SECOND, 0, List.of(replicas)),
                new ShardCounts(replicas.length),
                null);
        shards.add(status);
        return status;
    }

    /// Partition 3 of orders, owned, with work above its watermark.
    PartitionView partition(
            long polled, long standsNanos, @Nullable String blockedBy, @Nullable HangingTransaction hangs) {
        var one = new PartitionView(
                ORDERS, 0, polled, 0, 0, List.of(), 100L, 200L, 100L, 1, standsNanos, blockedBy, 12_300L, hangs);
        partitions.add(one);
        return one;
    }

    Snapshot snapshot() {
        var member = new MemberView(0, MemberView.Phase.ASSIGNED, partitions.size(), turnAge, unassigned, commitsFail);
        return new Snapshot(
                new Snapshot.Who("shop", "0.1", Instant.EPOCH, RunningFile.none(Instant.EPOCH)),
                new Snapshot.Course(waitsFor, pausedSince, ends),
                started
                        ? new SourceView(
                                ready, brokersSilent, 300 * SECOND, List.of(member), partitions, new SourceCounters())
                        : null,
                posted,
                shards,
                List.of(),
                new Snapshot.InFlight(3, 300, 10, 1_000),
                guarantees,
                unknownFields,
                12 * SECOND,
                now);
    }

    List<Trouble> troubles() {
        return Troubles.of(snapshot(), pulse);
    }

    String headline() {
        return Troubles.headline(snapshot(), troubles());
    }

    String status() {
        var now = snapshot();
        return StatusJson.of(
                now,
                pulse,
                troubles(),
                new SetAside().byReason(now.partitions()),
                events.newestFirst(),
                Redaction.NONE);
    }

    String text() {
        return StatusText.of(snapshot(), pulse, troubles(), events.newestFirst());
    }
}
