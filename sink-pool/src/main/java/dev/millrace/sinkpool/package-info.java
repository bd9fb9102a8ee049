/// From encoded chunks to written batches: one shard machine for each (sink, shard), its worker, and the budget they
/// share.
///
/// [dev.millrace.sinkpool.ShardMachine] decides and knows no thread, clock or socket;
/// [dev.millrace.sinkpool.ShardWorker] is its shell; [dev.millrace.sinkpool.SinkPool] is the front that source
/// threads offer chunks to. Knows no Kafka class and no driver: a connector brings a
/// [dev.millrace.sinkpool.Sink].
@NullMarked
package dev.millrace.sinkpool;

import org.jspecify.annotations.NullMarked;
