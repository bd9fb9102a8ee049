package dev.millrace.kafka;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.kafka.PartitionAccount.SinkAccount;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;

/// The accounts of every partition that this process has ever owned.
///
/// Thread ownership: shared.
final class Accounts {
    private final List<SinkFeed> sinks;
    private final ConcurrentSkipListMap<SourcePartition, PartitionAccount> byPartition = new ConcurrentSkipListMap<>();

    Accounts(List<SinkFeed> sinks) {
        this.sinks = List.copyOf(sinks);
    }

    PartitionAccount of(SourcePartition partition) {
        return byPartition.computeIfAbsent(partition, this::open);
    }

    private PartitionAccount open(SourcePartition partition) {
        var mine = sinks.stream()
                .filter(sink -> sink.topics().test(partition.topic()))
                .map(sink -> new SinkAccount(sink.name()))
                .toList();
        return new PartitionAccount(partition, mine);
    }

    List<PartitionAccount> all() {
        return List.copyOf(byPartition.values());
    }
}
