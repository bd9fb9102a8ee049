/// Which replica of a shard may be written to now, and what the last writes said of each.
///
/// resilience4j counts and trips; rotation, episodes, probe slots and their deadline, and the open time that
/// grows are decided here. Knows no row, no batch, no clock and no thread: time is an argument. One
/// [ReplicaSet] belongs to the shard machine that created it.
@NullMarked
package dev.millrace.breaker;

import org.jspecify.annotations.NullMarked;
