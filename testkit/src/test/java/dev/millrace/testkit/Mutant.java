package dev.millrace.testkit;

import java.util.List;

/// A bug to plant: a source file of a sibling module, and what to replace in it.
record Mutant(String name, String module, String type, List<Edit> edits) {
    /// `snippet` stands in the file exactly once.
    record Edit(String snippet, String replacement) {}

    Mutant(String name, String module, String type, Edit... edits) {
        this(name, module, type, List.of(edits));
    }

    @Override
    public String toString() {
        return name;
    }

    /// The seven that the driver must catch, and more of their kind.
    static List<Mutant> all() {
        return List.of(
                new Mutant(
                        "settle before written",
                        "sink-pool",
                        "dev.millrace.sinkpool.ShardMachine",
                        new Edit(
                                "deliveries.enqueue(new Delivery(batch));",
                                "deliveries.enqueue(new Delivery(batch));"
                                        + " batch.rows().slices().forEach(s -> late.settle(s.chunk(), Ending.WRITTEN));")),
                new Mutant(
                        "given up is said to be written",
                        "sink-pool",
                        "dev.millrace.sinkpool.ShardMachine",
                        new Edit(
                                "late.settle(delivery.givenUp());",
                                "delivery.chunks().forEach(chunk -> late.settle(chunk, Ending.WRITTEN));")),
                new Mutant(
                        "in doubt is said to be abandoned",
                        "sink-pool",
                        "dev.millrace.sinkpool.Delivery",
                        new Edit("stage instanceof Stage.Writing || inDoubt", "stage instanceof Stage.Writing")),
                new Mutant(
                        "fresh token on a retry",
                        "sink-pool",
                        "dev.millrace.sinkpool.Dispatcher",
                        new Edit(
                                "delivery.token(),",
                                "new Token(delivery.token().text() + \"/\" + delivery.attempts()),")),
                new Mutant(
                        "slot not given back",
                        "breaker",
                        "dev.millrace.breaker.Replica",
                        new Edit(
                                "case UNTRIED -> permit.probe();",
                                "case UNTRIED -> { if (stay instanceof Stay.HalfOpen(var out)) out.add(permit); yield false; }")),
                new Mutant(
                        "late outcome believed by the breaker",
                        "breaker",
                        "dev.millrace.breaker.Replica",
                        new Edit("if (!counts) return false;", "")),
                new Mutant(
                        "late outcome believed by the machine",
                        "sink-pool",
                        "dev.millrace.sinkpool.Attempts",
                        new Edit(
                                "    private long lastId;",
                                "    private long lastId; private final Map<Long, Live> late = new HashMap<>();"),
                        new Edit(
                                "cancelled.put(attempt.id(), attempt.permit().replica());",
                                "cancelled.put(attempt.id(), attempt.permit().replica()); late.put(attempt.id(), attempt);"),
                        new Edit(
                                "return live.remove(id);",
                                "var of = live.remove(id); if (of != null) return of; gone(id); return late.remove(id);")),
                new Mutant(
                        "permit leaked",
                        "sink-pool",
                        "dev.millrace.sinkpool.Deliveries",
                        new Edit(
                                "private final Throttle throttle;",
                                "private final Throttle throttle; private int leaked;"),
                        new Edit(
                                "waiting.hasNext() && inFlight.size() < throttle.limit()",
                                "waiting.hasNext() && inFlight.size() + leaked < throttle.limit()"),
                        new Edit(
                                "if (!inFlight.remove(delivery) && !parked.remove(delivery) && !resting.remove(delivery))"
                                        + " queue.remove(delivery);",
                                "if (inFlight.remove(delivery)) { if (delivery.attempts() > 2) leaked++; }"
                                        + " else if (!parked.remove(delivery) && !resting.remove(delivery)) queue.remove(delivery);")),
                new Mutant(
                        "a commit sent twice",
                        "checkpoint",
                        "dev.millrace.checkpoint.CommitFlight",
                        new Edit(
                                "    private long attempts;",
                                "    private long attempts; private @Nullable Out again;"),
                        new Edit("case Answer.Unknown() -> {", "case Answer.Unknown() -> { again = answered;"),
                        new Edit(
                                "var apart = apart(from, nowNanos);",
                                "if (again != null) { out = again; again = null; return out.send; }"
                                        + " var apart = apart(from, nowNanos);")),
                new Mutant(
                        "an old map sent as a new commit",
                        "checkpoint",
                        "dev.millrace.checkpoint.CommitFlight",
                        new Edit(
                                "    private long attempts;",
                                "    private long attempts; private @Nullable Out again;"),
                        new Edit("case Answer.Unknown() -> {", "case Answer.Unknown() -> { again = answered;"),
                        new Edit(
                                "var apart = apart(from, nowNanos);",
                                "if (again != null) { out = new Out(new Send(++attempts, again.send.entries), again.carried, nowNanos);"
                                        + " again = null; return out.send; } var apart = apart(from, nowNanos);")),
                new Mutant(
                        "the whole commit fails for one partition",
                        "checkpoint",
                        "dev.millrace.checkpoint.CommitFlight",
                        new Edit("refused(answered, refused, nowNanos);", "")),
                new Mutant(
                        "an answer counts for a partition owned anew",
                        "checkpoint",
                        "dev.millrace.checkpoint.CommitFlight",
                        new Edit("|| owned.get(standing.partition) != standing", "")),
                new Mutant(
                        "the watermark passes a failed range",
                        "checkpoint",
                        "dev.millrace.checkpoint.PartitionTracker",
                        new Edit(
                                "while (head != null && head.resolution == Resolution.DONE)",
                                "while (head != null && head.resolution != null)")),
                new Mutant(
                        "an earlier epoch moves the watermark",
                        "checkpoint",
                        "dev.millrace.checkpoint.PartitionTracker",
                        new Edit("|| !entry.range.equals(range) ", "")),
                new Mutant(
                        "a range takes the best of its parts",
                        "checkpoint",
                        "dev.millrace.checkpoint.Ack",
                        new Edit(
                                "if (resolution != Resolution.DONE) failed = true;",
                                "failed = resolution != Resolution.DONE;")),
                new Mutant(
                        "chunks of an ended epoch stay",
                        "sink-pool",
                        "dev.millrace.sinkpool.ShardMachine",
                        new Edit("endedEpochs.merge(partition, epoch, Math::max);", "")),
                new Mutant(
                        "a retry of an ended epoch is settled twice",
                        "sink-pool",
                        "dev.millrace.sinkpool.ShardMachine",
                        new Edit("if (kept.isEmpty()) deliveries.remove(delivery);", "if (kept.isEmpty()) {}")),
                new Mutant(
                        "rows in order of arrival",
                        "sink-pool",
                        "dev.millrace.sinkpool.BatchRows",
                        new Edit("order.sort(Comparator", "new ArrayList<>(order).sort(Comparator")),
                new Mutant(
                        "a lease is not given back",
                        "sink-pool",
                        "dev.millrace.sinkpool.EncodedChunk",
                        new Edit("lease.close();", "if (counts.inDoubt() == 0) lease.close();")),
                new Mutant(
                        "a slab is written again",
                        "sink-pool",
                        "dev.millrace.sinkpool.ChunkBuilder",
                        new Edit("open.at = end;", "")),
                new Mutant(
                        "a deadline is not looked at",
                        "sink-pool",
                        "dev.millrace.sinkpool.Attempts",
                        new Edit(
                                "wake = NanoClock.earlier(wake, attempt.deadlineNanos());",
                                "if (wake == 0) wake = 1;")),
                new Mutant(
                        "an unfinished attempt never ends",
                        "sink-pool",
                        "dev.millrace.sinkpool.Attempts",
                        new Edit("unfinished[replica]--;", "")),
                new Mutant(
                        "a ping outlives the drain",
                        "sink-pool",
                        "dev.millrace.sinkpool.ShardMachine",
                        new Edit("dispatcher.cancelAll(nowNanos, out); // only pings are out", "")),
                new Mutant(
                        "an outage ends though no replica is closed",
                        "sink-pool",
                        "dev.millrace.sinkpool.ReplicaWatch",
                        new Edit("if (!outage || noneClosed(replicas.view())) return;", "if (!outage) return;")),
                new Mutant(
                        "a batch may be overtaken",
                        "sink-pool",
                        "dev.millrace.sinkpool.Deliveries",
                        new Edit("var waiting = queue.iterator();", "var waiting = queue.descendingIterator();")),
                new Mutant(
                        "a retry does not sleep",
                        "sink-pool",
                        "dev.millrace.sinkpool.Delivery",
                        new Edit(
                                "stage = new Stage.Sleeping(NanoClock.due(nowNanos, sleepNanos), sleepNanos, then);",
                                "stage = new Stage.Ready(then);")),
                new Mutant(
                        "linger by comparison of instants",
                        "sink-pool",
                        "dev.millrace.sinkpool.MergedComposition",
                        new Edit("nowNanos - oldestNanos >= lingerNanos", "nowNanos >= oldestNanos + lingerNanos")),
                new Mutant(
                        "an open breaker drops a batch",
                        "sink-pool",
                        "dev.millrace.sinkpool.ShardMachine",
                        new Edit(
                                "        if (giveUpIfUnwanted(delivery)) return;\n        var most",
                                "        if (giveUpIfUnwanted(delivery)) return;\n        if (!dispatcher.usable()) {"
                                        + " deliveries.remove(delivery); delivery.chunks().forEach("
                                        + "chunk -> late.settle(chunk, Ending.WRITTEN)); return; }\n        var most")),
                new Mutant(
                        "a drain forgets what is open",
                        "sink-pool",
                        "dev.millrace.sinkpool.ShardMachine",
                        new Edit(
                                "        over = true;\n        composer.sealIf(_ -> true, SealReason.DRAIN);",
                                "        over = true;"),
                        new Edit("composer.takeAll().forEach(chunk -> late.settle(chunk, Ending.ABANDONED));", "")),
                new Mutant(
                        "a refusal proves that nothing was stored",
                        "sink-pool",
                        "dev.millrace.sinkpool.Delivery",
                        new Edit("if (what.mayHaveStored()) doubt();", "if (what.mayHaveStored() && !holds) doubt();")),
                new Mutant(
                        "overload proves that nothing was stored",
                        "sink-pool",
                        "dev.millrace.sinkpool.ShardMachine",
                        new Edit(
                                "failed(attempt, failure, contact(attempt, Verdict.OVERLOADED), retryAfter, nowNanos);",
                                "failed(attempt, new Failure(failure.code(), failure.message(), false),"
                                        + " contact(attempt, Verdict.OVERLOADED), retryAfter, nowNanos);")),
                new Mutant(
                        "a receipt is believed though it does not add up",
                        "sink-pool",
                        "dev.millrace.sinkpool.ShardMachine",
                        new Edit("written.accepted() + written.duplicate() != rows", "rows < 0")),
                new Mutant(
                        "a worker that dies abandons what is out",
                        "sink-pool",
                        "dev.millrace.sinkpool.ShardMachine",
                        new Edit("giveUp(chunk, Ending.IN_DOUBT, settle)", "giveUp(chunk, Ending.ABANDONED, settle)")),
                new Mutant(
                        "a worker that dies forgets what waits",
                        "sink-pool",
                        "dev.millrace.sinkpool.ShardMachine",
                        new Edit("for (var chunk : queued) giveUp(chunk, Ending.ABANDONED, settle);", "")),
                new Mutant(
                        "a retry leaves rows out",
                        "sink-pool",
                        "dev.millrace.sinkpool.Dispatcher",
                        new Edit(
                                "delivery.rows(),",
                                "delivery.attempts() < 2 || delivery.chunks().size() < 2 ? delivery.rows()"
                                        + " : BatchRows.of(delivery.chunks().subList(1, delivery.chunks().size())),")),
                new Mutant(
                        "a machine takes chunks while batches wait",
                        "sink-pool",
                        "dev.millrace.sinkpool.ShardMachine",
                        new Edit("return over || deliveries.hasPlace();", "return true;")),
                new Mutant(
                        "a dead letter is not awaited",
                        "sink-pool",
                        "dev.millrace.sinkpool.Trials",
                        new Edit(
                                "endings.sent(suspect.row());",
                                "endings.sent(suspect.row()); var early = endings.acknowledged(row);"
                                        + " if (early != null) late.settle(early);")),
                new Mutant(
                        "an outage condemns",
                        "sink-pool",
                        "dev.millrace.sinkpool.Judge",
                        new Edit(
                                "return nothingSpeaks && !of.allCertain() ? Next.OUTAGE",
                                "return false ? Next.OUTAGE")),
                new Mutant(
                        "the early suspects are not tried again",
                        "sink-pool",
                        "dev.millrace.sinkpool.Isolation",
                        new Edit("if (!open.isEmpty() || !landed) return;", "if (!suspects.isEmpty()) return;")),
                new Mutant(
                        "a part under the parent's token",
                        "sink-pool",
                        "dev.millrace.sinkpool.Delivery",
                        new Edit(
                                "batch.token() : batch.token().part(of.from(), of.to())",
                                "batch.token() : batch.token()")),
                new Mutant(
                        "a lane lets two writes out",
                        "sink-pool",
                        "dev.millrace.sinkpool.Deliveries",
                        new Edit("if (settings.ordered()) holds.take(next.lane());", ""),
                        new Edit("for (var one : inFlight) if (one.holdsLane()) holds.take(one.lane());", "")),
                new Mutant(
                        "a suspect that is parked holds no lane",
                        "sink-pool",
                        "dev.millrace.sinkpool.Deliveries",
                        new Edit("for (var one : parked) if (one.holdsLane()) holds.waitFor(one);", "")),
                new Mutant(
                        "a suspect that is parked holds its whole lane",
                        "sink-pool",
                        "dev.millrace.sinkpool.Deliveries",
                        new Edit("if (one.holdsLane()) holds.waitFor(one);", "holds.take(one.lane());")),
                new Mutant(
                        "a pinned batch is written beside its lane",
                        "sink-pool",
                        "dev.millrace.sinkpool.Deliveries",
                        new Edit("if (settings.ordered()) out.removeIf(", "if (false) out.removeIf(")),
                new Mutant(
                        "a batch that sleeps keeps its permit where order is kept",
                        "sink-pool",
                        "dev.millrace.sinkpool.Deliveries",
                        new Edit("if (settings.ordered() && inFlight", "if (false && inFlight")),
                new Mutant(
                        "a batch that sleeps leaves its lane",
                        "sink-pool",
                        "dev.millrace.sinkpool.Deliveries",
                        new Edit("for (var one : resting) holds.take(one.lane());", "")),
                new Mutant(
                        "a record goes by its offset to its lane",
                        "connectors/kafka",
                        "dev.millrace.kafka.KeyLanes",
                        new Edit(
                                "KeyRouter.murmur2(record.keyArray(), record.keyFrom(), length)",
                                "(int) record.offset()")),
                new Mutant(
                        "a row that the sink names is tried last where order is kept",
                        "sink-pool",
                        "dev.millrace.sinkpool.Isolation",
                        new Edit("this.believesNames = !inOrder;", "this.believesNames = true;")),
                new Mutant(
                        "the search goes on behind a suspect where order is kept",
                        "sink-pool",
                        "dev.millrace.sinkpool.Judge",
                        new Edit("&& !(inOrder && !suspects.isEmpty())", "")),
                new Mutant(
                        "a lane goes on behind a stop",
                        "sink-pool",
                        "dev.millrace.sinkpool.Trials",
                        new Edit("deliveries.close(delivery);", "")),
                new Mutant(
                        "a key has two lanes",
                        "sink-pool",
                        "dev.millrace.sinkpool.Composer",
                        new Edit(
                                "lanes.get(chunk.target().lane()).add(chunk, sealings);",
                                "lanes.get((int) (chunk.offset(0) % lanes.size())).add(chunk, sealings);"),
                        new Edit(
                                "var lane = chunks.getFirst().target().lane();",
                                "var lane = (int) (chunks.getFirst().offset(0) % lanes.size());")),
                new Mutant(
                        "the position is one past the last record",
                        "connectors/kafka",
                        "dev.millrace.kafka.PartitionFlow",
                        new Edit("var end = last ? next : to < size", "var end = to < size"),
                        new Edit("        gap(next, nextLeaderEpoch, nowNanos);", "")),
                new Mutant(
                        "what waited in a revoke counts as done",
                        "connectors/kafka",
                        "dev.millrace.kafka.PartitionFlow",
                        new Edit("run.ack.fail();", "")),
                new Mutant(
                        "a revoked partition is still committed",
                        "connectors/kafka",
                        "dev.millrace.kafka.SourceMachine",
                        new Edit("flight.forget(flow.partition);", "")),
                new Mutant(
                        "a lost partition is still committed",
                        "connectors/kafka",
                        "dev.millrace.kafka.SourceMachine",
                        new Edit(
                                "case SourceEvent.Lost(var partitions) -> revoked(partitions);",
                                "case SourceEvent.Lost(var partitions) -> {}")),
                new Mutant(
                        "a changed topic is still committed",
                        "connectors/kafka",
                        "dev.millrace.kafka.SourceMachine",
                        new Edit(
                                "            forget(one);\n            one.halted = true;",
                                "            one.halted = true;")),
                new Mutant(
                        "a row left out is counted twice",
                        "connectors/kafka",
                        "dev.millrace.kafka.PartitionFlow",
                        new Edit(
                                "account.sinks.get(i).skip(reason);",
                                "{ account.sinks.get(i).skip(reason); account.sinks.get(i).skip(reason); }")),
                new Mutant(
                        "retention is counted one short",
                        "connectors/kafka",
                        "dev.millrace.kafka.SourceMachine",
                        new Edit(
                                "var count = lost.logStart() - lost.position();",
                                "var count = lost.logStart() - lost.position() - 1;")),
                new Mutant(
                        "reading goes on behind the log's start",
                        "connectors/kafka",
                        "dev.millrace.kafka.SourceMachine",
                        new Edit(
                                "new SourceCommand.SeekTo(lost.partition(), lost.logStart())",
                                "new SourceCommand.SeekTo(lost.partition(), lost.logStart() + 1)")),
                new Mutant(
                        "what retention took is never done",
                        "connectors/kafka",
                        "dev.millrace.kafka.SourceMachine",
                        new Edit("one.flow.passOver(lost.logStart(), -1, nowNanos);", "")),
                new Mutant(
                        "poison is left out under stop",
                        "connectors/kafka",
                        "dev.millrace.kafka.PoisonRows",
                        new Edit("return shared.action == OnPoison.STOP;", "return false;"),
                        new Edit(
                                "skips = shared.action == OnPoison.SKIP;",
                                "skips = shared.action != OnPoison.DEAD_LETTER;")),
                new Mutant(
                        "what nobody can read does not wait for its letter",
                        "connectors/kafka",
                        "dev.millrace.kafka.PoisonRows",
                        new Edit("this.part = part;", "this.part = part; part.resolve(Resolution.DONE);")),
                new Mutant(
                        "a part of two rows is a suspect",
                        "sink-pool",
                        "dev.millrace.sinkpool.Isolation",
                        new Edit(
                                "if (part.rows() == 1) {\n            if (++tries",
                                "if (part.rows() <= 2) {\n            if (++tries")),
                new Mutant(
                        "what nobody waits for is taken apart to its end",
                        "sink-pool",
                        "dev.millrace.sinkpool.ShardMachine",
                        new Edit("if (!giveUpIfUnwanted(delivery)) trials.goOn", "trials.goOn")),
                new Mutant(
                        "drift is taken for poison",
                        "sink-pool",
                        "dev.millrace.sinkpool.Judge",
                        new Edit("return share.tooMany(more, nowNanos);", "return false;")),
                new Mutant(
                        "a parked batch is forgotten",
                        "sink-pool",
                        "dev.millrace.sinkpool.Deliveries",
                        new Edit("            one.wake(nowNanos);\n", "")),
                new Mutant(
                        "a pin is forgotten",
                        "sink-pool",
                        "dev.millrace.sinkpool.Pins",
                        new Edit(
                                "return pin == null ? otherwise : new Preference.Only(pin.first());",
                                "return pin == null ? otherwise : otherwise;")),
                new Mutant(
                        "a probe takes any batch",
                        "sink-pool",
                        "dev.millrace.sinkpool.Pins",
                        new Edit("return pin == null || pin.first() == replica;", "return pin == null || true;")),
                new Mutant(
                        "rows of two tables in one batch",
                        "sink-pool",
                        "dev.millrace.sinkpool.MergedComposition",
                        new Edit(
                                "if (!open.isEmpty() && open.getFirst().layout() != chunk.layout())", "if (rows < 0)")),
                new Mutant(
                        "a table that changed keeps its encoder",
                        "connectors/kafka",
                        "dev.millrace.kafka.SourceMachine",
                        new Edit("if (!feeds.renew(sink)) return;", "")),
                new Mutant(
                        "what is read again begins where reading stood",
                        "connectors/kafka",
                        "dev.millrace.kafka.SourceMachine",
                        new Edit("out.accept(new SourceCommand.ReadAgain(one.flow.partition, from));", "")),
                new Mutant(
                        "a pinned batch keeps its permit",
                        "sink-pool",
                        "dev.millrace.sinkpool.Deliveries",
                        new Edit(
                                "if (pins.pinned(delivery) && !(delivery.stage() instanceof Delivery.Stage.Writing)) park(delivery);",
                                "if (pins.pinned(delivery) && delivery.attempts() > 99) park(delivery);")),
                new Mutant(
                        "what is sent again is not counted",
                        "sink-pool",
                        "dev.millrace.sinkpool.Doubt",
                        new Edit(
                                "case UNSHARED -> replicas.cardinality() - (replicas.get(replica) ? 1 : 0);",
                                "case UNSHARED -> 0;")),
                new Mutant(
                        "a record is encoded again when there is room",
                        "connectors/kafka",
                        "dev.millrace.kafka.PartitionFlow",
                        new Edit(
                                "            if (full != null) return full;\n            switch (format",
                                "            if (full != null) {\n                run.at = Math.max(0, run.at - 1);\n                return full;\n            }\n            switch (format")),
                new Mutant(
                        "what is given up is not counted",
                        "connectors/kafka",
                        "dev.millrace.kafka.PartitionFlow",
                        new Edit("account.dropped(run.end - run.at);", "")),
                new Mutant(
                        "a failed range ends nothing",
                        "connectors/kafka",
                        "dev.millrace.kafka.SourceMachine",
                        new Edit("head == null || nowNanos - since < limit", "head == null || nowNanos - since >= 0")),
                new Mutant(
                        "a commit without the topic's identity",
                        "connectors/kafka",
                        "dev.millrace.kafka.Owned",
                        new Edit("this.note = CommitNote.of(flow.partition.topicId());", "this.note = \"\";")),
                new Mutant(
                        "a drain forgets what waits",
                        "connectors/kafka",
                        "dev.millrace.kafka.SourceMachine",
                        new Edit("if (one.flow.hasWaiting() || one.flow.waitsForPlan()) return;", "{}")));
    }
}
