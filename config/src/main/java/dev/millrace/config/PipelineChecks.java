package dev.millrace.config;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What of the whole file cannot work together, computed from its numbers.
record PipelineChecks(Problems problems, Values root) {
    /// What an orchestrator usually gives a process between the signal and the kill.
    private static final Duration GRACE = Duration.ofSeconds(30);
    /// Of the budget, what one shard may hold.
    private static final double DEAD_SHARD_PERCENT = 50;
    /// What a stop may take beyond its budget.
    private static final Duration OVERRUN = Duration.ofSeconds(1);

    void run() {
        new SourceChecks(problems, root).run();
        var sinks = root.get(SinkKeys.SINKS);
        for (var sink : sinks) {
            new SinkChecks(problems, root, sink).run();
            if (SinkKeys.advisory(sink.values())) continue;
            linger(sink);
            rows(sink);
        }
        new PlaintextChecks(problems, root).run();
        acknowledged(sinks);
        required();
        new PoisonChecks(problems, root).run();
        budget();
        drain();
        readers();
    }

    /// Nothing is polled or committed.
    private boolean intake() {
        return root.get(SourceKeys.SOURCE).get(IntakeKeys.HTTP).present();
    }

    /// What is committed is what somebody said to have.
    private void acknowledged(List<Values.Named> sinks) {
        if (sinks.isEmpty() || sinks.stream().anyMatch(sink -> !SinkKeys.advisory(sink.values()))) return;
        var first = sinks.getFirst().values().find(SinkKeys.ADVISORY);
        if (first == null) return;
        problems.error(
                first.place(),
                first.path(),
                "every sink is advisory, so nothing would say that a row is written; set advisory: false for one of them");
    }

    /// Batches that are merged from what happens to be there have no tokens that a replay could repeat.
    private void required() {
        var require = root.find(PipelineKeys.REQUIRE);
        var delivery = root.orNull(PipelineKeys.DELIVERY);
        if (require == null
                || delivery != Delivery.AT_LEAST_ONCE
                || !require.value().beyondARun()) return;
        problems.error(
                require.place(),
                require.path(),
                "%s is not reached with delivery at_least_once, where what replays after a crash is stored again; set delivery: effectively_once, or ask for L1"
                        .formatted(require.value().word()));
    }

    /// A token that nobody can have keeps everybody out.
    private void readers() {
        var admin = root.get(PipelineKeys.ADMIN);
        var readers = admin.find(PipelineKeys.READERS);
        if (readers == null || readers.value() != AdminConfig.Readers.TOKEN) return;
        if (admin.find(PipelineKeys.TOKEN_FILE) != null) return;
        problems.error(
                readers.place(),
                readers.path(),
                "nobody could read, for there is no token; set admin.token_file to an absolute path");
    }

    private void linger(Values.Named sink) {
        if (intake()) return;
        var interval = root.get(PipelineKeys.CHECKPOINT).find(PipelineKeys.INTERVAL);
        var linger = sink.values().get(SinkKeys.BATCH).find(SinkKeys.LINGER);
        if (interval == null || linger == null || linger.value().compareTo(interval.value()) < 0) return;
        var at = linger.given() ? linger : interval;
        problems.error(
                at.place(),
                at.path(),
                "batch.linger %s is not below checkpoint.interval %s, so a commit would find nothing written; lower the one or raise the other"
                        .formatted(DurationType.text(linger.value()), DurationType.text(interval.value())));
    }

    private void rows(Values.Named sink) {
        var budget = root.get(PipelineKeys.ADMISSION).find(PipelineKeys.BUDGET_ROWS);
        var batch = sink.values().get(SinkKeys.BATCH).find(SinkKeys.MAX_ROWS);
        if (budget == null || batch == null || batch.value() <= budget.value()) return;
        var at = budget.given() ? budget : batch;
        problems.warn(
                at.place(),
                at.path(),
                "admission.max_rows %d is below batch.max_rows %d, so batches are sealed early; raise the one or lower the other"
                        .formatted(budget.value(), batch.value()));
    }

    /// One batch must fit beside a chunk of every target; and polling must go on before the shards
    /// run dry.
    private void budget() {
        var admission = root.get(PipelineKeys.ADMISSION);
        var budget = admission.find(PipelineKeys.BUDGET_BYTES);
        long largest = 0;
        long chunks = 0;
        long busy = 0;
        long shards = 0;
        var lanes = false;
        for (var sink : root.get(SinkKeys.SINKS)) {
            // It has a budget of its own.
            if (SinkKeys.advisory(sink.values())) continue;
            var need = Need.of(sink.values());
            if (need == null) return;
            largest = Math.max(largest, need.batch);
            chunks += need.shards * need.lanes * need.chunk;
            shards += need.shards;
            lanes |= need.lanes > 1;
            busy += need.shards * (need.perShard + need.lanes) * need.batch;
        }
        if (budget == null) return;
        if (budget.value() < largest + chunks) {
            problems.error(
                    budget.place(),
                    budget.path(),
                    "%s is below the largest batch plus one chunk per shard, %s + %s; raise it to %s or lower batch.max_bytes"
                            .formatted(
                                    SizeType.text(budget.value()),
                                    SizeType.text(largest),
                                    SizeType.text(chunks),
                                    SizeType.text(largest + chunks)));
            return;
        }
        var resume = admission.find(PipelineKeys.RESUME_BELOW);
        if (resume == null || intake()) return;
        if (shards > 1 && resume.value() <= DEAD_SHARD_PERCENT) {
            problems.error(
                    resume.place(),
                    resume.path(),
                    "a dead shard may hold half of the budget, so the others would wait for it too; raise it above 50%");
            return;
        }
        long mark = (long) (budget.value() * (resume.value() / 100));
        if (mark >= busy) return;
        var at = resume.given() ? resume : budget;
        problems.warn(
                at.place(),
                at.path(),
                "polling goes on below %s, but shards at work hold %s, (max_per_shard + %s) batches each; raise admission.max_bytes or resume_below, or lower batch.max_bytes"
                        .formatted(SizeType.text(mark), SizeType.text(busy), lanes ? "lanes" : "1"));
    }

    private void drain() {
        var timeout = root.get(PipelineKeys.DRAIN).find(PipelineKeys.DRAIN_TIMEOUT);
        if (timeout == null || timeout.value().plus(OVERRUN).compareTo(GRACE) <= 0) return;
        problems.warn(
                timeout.place(),
                timeout.path(),
                "a stop takes up to %s, above the usual grace period of %s, after which the process is killed without a report; lower it or lengthen the grace period"
                        .formatted(DurationType.text(timeout.value().plus(OVERRUN)), DurationType.text(GRACE)));
    }

    /// What a sink keeps in memory. Within the bounds of its settings no product of these overflows.
    private record Need(long shards, long lanes, long perShard, long batch, long chunk) {

        /// Null when a number of it had a problem.
        static @Nullable Need of(Values sink) {
            var batch = sink.get(SinkKeys.BATCH).find(SinkKeys.MAX_BYTES);
            var chunk = sink.get(SinkKeys.CHUNK).find(SinkKeys.TARGET_BYTES);
            var perShard = sink.get(SinkKeys.INFLIGHT).find(SinkKeys.MAX_PER_SHARD);
            if (batch == null || chunk == null || perShard == null || sink.refused(SinkKeys.SHARDS)) return null;
            var shards = sink.orNull(SinkKeys.SHARDS);
            var lanes = sink.find(SinkKeys.LANES);
            var ordered = Boolean.TRUE.equals(sink.orNull(SinkKeys.ORDERING));
            return new Need(
                    shards == null ? 1 : shards.size(),
                    ordered && lanes != null ? lanes.value() : 1,
                    perShard.value(),
                    batch.value(),
                    chunk.value());
        }
    }
}
