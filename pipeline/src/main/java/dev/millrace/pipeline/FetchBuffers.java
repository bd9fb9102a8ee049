package dev.millrace.pipeline;

import dev.millrace.config.KafkaClientDefaults;
import dev.millrace.config.KafkaProperties;
import java.util.Map;

/// What the consumers of one process may keep of records that were fetched and have no place in the admission budget
/// yet, if all partitions are theirs.
///
/// A client asks for more of the other partitions while one has fetched records, and keeps what it has of a paused
/// one; and what was polled of a partition when room ran out waits beside that.
record FetchBuffers(long partitions, long bytesEach) {
    private static final String EACH = "max.partition.fetch.bytes";

    static FetchBuffers of(KafkaProperties properties, int consumers, Map<String, Integer> partitions) {
        var all = partitions.values().stream().mapToLong(Integer::longValue).sum();
        var each = KafkaClientDefaults.partitionFetchBytes(properties.plain(), Math.ceilDiv(all, consumers));
        return new FetchBuffers(all, each);
    }

    long bytes() {
        return 2 * partitions * bytesEach;
    }

    /// More than half of such a heap.
    boolean large(long heapBytes) {
        return bytes() > heapBytes / 2;
    }

    String line() {
        return partitions + " partitions may have " + (bytes() >> 20)
                + " MiB fetched, half of it polled, outside of admission.max_bytes, which is more than half of the heap; lower"
                + " source.kafka.properties " + EACH + " (" + bytesEach + "), or give the process more (-Xmx)";
    }
}
