/// The real ClickHouse engine on this machine, for tests and the demo: no Docker, no server to install.
///
/// An engine is the library of chDB in a JVM of its own ([ClickHouseEngine]), which may be killed and started
/// again on its data. In front of it stand as many HTTP fronts as a shard has replicas ([ClickHouseFront]):
/// fronts of one engine share tables and the log of deduplication tokens, as the replicas of a replicated table
/// do; fronts of different engines share nothing. [LabClickHouse] puts both arrangements together.
///
/// Decides how a front speaks ClickHouse's HTTP interface, as far as a client that inserts and asks needs it,
/// and how it breaks it on demand. What the engine decides, the engine decides: tokens, blocks, types, codes.
/// Not to be had here: replication itself, quorums, Keeper, asynchronous inserts (the engine does them at once),
/// sessions, quotas, compressed answers.
///
/// May be called from any thread, unless a type says otherwise. Everything listens on 127.0.0.1 alone.
@NullMarked
package dev.millrace.lab.clickhouse;

import org.jspecify.annotations.NullMarked;
