package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CrossCheckTest {
    @Test
    @Tag("CFG-8")
    void theDefaultsWorkTogether() {
        assertThat(PipelineText.postgres().problems()).isEmpty();
        assertThat(PipelineText.postgres().warnings()).isEmpty();
    }

    @Test
    @Tag("CFG-8")
    void theBudgetHoldsTheLargestBatchAndAChunkPerShard() {
        var text = PipelineText.postgres().sink("batch: { max_bytes: 1MiB }\nchunk: { target_bytes: 256KiB }");
        assertThat(text.root("admission: { max_bytes: 1536KiB }").problems()).isEmpty();
        assertThat(text.root("admission: { max_bytes: 1535KiB }").problems())
                .containsExactly("admission.max_bytes: 1.5MiB is below the largest batch plus one chunk per shard, "
                        + "1MiB + 512KiB; raise it to 1.5MiB or lower batch.max_bytes");
    }

    @Test
    @Tag("CFG-8")
    void lingerStaysBelowTheCommitInterval() {
        assertThat(PipelineText.postgres().sink("batch: { linger: 4999ms }").problems())
                .isEmpty();
        assertThat(PipelineText.postgres().sink("batch: { linger: 5s }").problems())
                .containsExactly("sinks.warehouse.batch.linger: batch.linger 5s is not below checkpoint.interval 5s, "
                        + "so a commit would find nothing written; lower the one or raise the other");
        assertThat(PipelineText.postgres().root("checkpoint: { interval: 2s }").problems())
                .containsExactly("checkpoint.interval: batch.linger 2s is not below checkpoint.interval 2s, "
                        + "so a commit would find nothing written; lower the one or raise the other");
    }

    @Test
    @Tag("CFG-8")
    void aResumeMarkBelowWhatTheShardsHoldIsWarnedAbout() {
        // Two shards of three batches of 64 MiB hold 384 MiB.
        assertThat(PipelineText.postgres()
                        .root("admission: { max_bytes: 640MiB, resume_below: 60% }")
                        .warnings())
                .isEmpty();
        assertThat(PipelineText.postgres()
                        .root("admission: { max_bytes: 639MiB, resume_below: 60% }")
                        .warnings())
                .containsExactly(
                        "admission.resume_below: polling goes on below 383.4MiB, but shards at work hold 384MiB, "
                                + "(max_per_shard + 1) batches each; raise admission.max_bytes or resume_below, or lower batch.max_bytes");
        assertThat(PipelineText.postgres()
                        .sink("inflight: { max_per_shard: 4 }")
                        .warnings())
                .hasSize(1)
                .first()
                .asString()
                .contains("614.4MiB", "640MiB");
    }

    @Test
    @Tag("SEAL-8")
    @DisplayName("SEAL-8: lanes count with ordering: key alone, and nothing may be given up in one")
    void lanesBelongToOrder() {
        var text = PipelineText.postgres();
        assertThat(text.sink("ordering: key\nlanes: 8").problems()).isEmpty();
        assertThat(text.sink("ordering: key\nlanes: 8\nbatch: { max_bytes: 16MiB }")
                        .warnings())
                .isEmpty();
        assertThat(text.sink("ordering: key\nlanes: 8").warnings())
                .containsExactly(
                        "admission.max_bytes: polling goes on below 614.4MiB, but shards at work hold 1.3GiB,"
                                + " (max_per_shard + lanes) batches each; raise admission.max_bytes or resume_below, or lower batch.max_bytes");
        assertThat(text.sink("lanes: 8").problems())
                .containsExactly(
                        "sinks.warehouse.lanes: has no effect with ordering none; use ordering: key, or leave it out");
        assertThat(text.sink("ordering: key\nretry: { max_attempts: 5 }").problems())
                .containsExactly(
                        "sinks.warehouse.retry.max_attempts: a batch that is given up after 5 attempts comes again"
                                + " behind what was written after it; use unlimited, or ordering: none");
        assertThat(text.sink("ordering: key\nadvisory: true").problems())
                .contains("sinks.warehouse.ordering: key is not kept with advisory: true, where a batch that fails is"
                        + " dropped; use none");
        assertThat(text.sink("ordering: key\nlanes: 2\nbatch: { max_bytes: 16MiB }\ninflight: { max_per_shard: 3 }")
                        .warnings())
                .containsExactly(
                        "sinks.warehouse.inflight.max_per_shard: 3 is above lanes 2, each of which has one write at a"
                                + " time; lower it or raise lanes");
    }

    @Test
    @Tag("WRT-8")
    @DisplayName("WRT-8: a limit over all shards that they never reach is told")
    void aLimitThatLimitsNothingIsTold() {
        var text = PipelineText.postgres();
        assertThat(text.sink("inflight: { max_total: 1 }").warnings()).isEmpty();
        assertThat(text.sink("inflight: { max_total: unlimited }").warnings()).isEmpty();
        assertThat(text.sink("inflight: { max_total: 0 }").problems())
                .containsExactly("sinks.warehouse.inflight.max_total: \"0\" is out of bounds;"
                        + " write a whole number from 1 to 65536, or unlimited");
        assertThat(text.sink("inflight: { max_total: 3 }").warnings()).isEmpty();
        assertThat(text.sink("inflight: { max_total: 4 }").warnings())
                .containsExactly("sinks.warehouse.inflight.max_total: 4 limits nothing: 2 shards of max_per_shard 2"
                        + " write no more at once; lower it, or leave it out");
        assertThat(text.sink("ordering: key\nlanes: 1\ninflight: { max_total: 2 }")
                        .warnings())
                .containsExactly("sinks.warehouse.inflight.max_total: 2 limits nothing: 2 shards of lanes 1"
                        + " write no more at once; lower it, or leave it out");
    }

    @Test
    @Tag("SEAL-8")
    @DisplayName("SEAL-8 CFG-8: each lane has a chunk and an open batch of its own in the budget")
    void lanesTakeTheirPartOfTheBudget() {
        var text = PipelineText.postgres()
                .sink("ordering: key\nbatch: { max_bytes: 1MiB }\nchunk: { target_bytes: 256KiB }");
        assertThat(text.root("admission: { max_bytes: 3MiB }").problems()).isEmpty();
        assertThat(text.root("admission: { max_bytes: 2560KiB }").problems())
                .containsExactly("admission.max_bytes: 2.5MiB is below the largest batch plus one chunk per shard, "
                        + "1MiB + 2MiB; raise it to 3MiB or lower batch.max_bytes");
    }

    @ParameterizedTest
    @CsvSource({"25s,false", "29s,false", "30s,true", "31s,true", "2m,true"})
    @Tag("CFG-8")
    void aDrainAboveTheGracePeriodIsWarnedAbout(String timeout, boolean warned) {
        var warnings = PipelineText.postgres()
                .root("drain: { timeout: " + timeout + " }")
                .warnings();
        assertThat(warnings).hasSize(warned ? 1 : 0).allMatch(w -> w.contains("usual grace period of 30s"));
    }

    @Test
    @Tag("CFG-8")
    void aBudgetOfFewerRowsThanABatchIsWarnedAbout() {
        assertThat(PipelineText.postgres()
                        .root("admission: { max_rows: 499999 }")
                        .warnings())
                .containsExactly("admission.max_rows: admission.max_rows 499999 is below batch.max_rows 500000, "
                        + "so batches are sealed early; raise the one or lower the other");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "10", "1000000"})
    @Tag("CFG-11")
    void finiteAttemptsAreWarnedAbout(String attempts) {
        assertThat(PipelineText.postgres()
                        .sink("retry: { max_attempts: " + attempts + " }")
                        .warnings())
                .containsExactly(
                        "sinks.warehouse.retry.max_attempts: after " + attempts
                                + " attempts a batch's ranges fail and stall their partitions; use unlimited to wait an outage out");
    }

    @Test
    @Tag("CFG-11")
    void unlimitedAttemptsAreNot() {
        var text = PipelineText.postgres().sink("retry: { max_attempts: unlimited }");
        assertThat(text.warnings()).isEmpty();
        assertThat(text.onlySink().retry().unlimited()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"100ms,true", "99ms,false", "1h,true", "61m,false", "0s,false"})
    @Tag("BRK-6")
    @Tag("CFG-1")
    @DisplayName("CASES 36: an open time of nothing is refused, and so is one above an hour")
    void openForHasBounds(String openFor, boolean fits) {
        var text = PipelineText.postgres().sink("breaker: { open_for: " + openFor + ", open_for_max: 1h }");
        assertThat(text.problems().isEmpty()).isEqualTo(fits);
    }

    @Test
    @Tag("CFG-1")
    void aBreakerHasOneTrigger() {
        assertThat(PipelineText.postgres()
                        .sink("breaker: { failures: 3, failure_rate: 50% }")
                        .problems())
                .containsExactly("sinks.warehouse.breaker.failures: conflicts with failure_rate; keep one of them");
        assertThat(PipelineText.postgres()
                        .sink("breaker: { failure_rate: 50%, window: 4 }")
                        .problems())
                .containsExactly(
                        "sinks.warehouse.breaker.window: min_calls 5 is above window 4, so it would never open; lower the one or raise the other");
        assertThat(PipelineText.postgres()
                        .sink("breaker: { failures: 7 }")
                        .onlySink()
                        .breaker()
                        .window())
                .isEqualTo(7);
    }

    @Test
    @Tag("CFG-1")
    void slowCallsBelowTheTimeoutOnly() {
        assertThat(PipelineText.postgres().sink("write: { timeout: 10s }").warnings())
                .isEmpty();
        assertThat(PipelineText.postgres()
                        .sink("write: { timeout: 10s }\nbreaker: { slow_call: { longer_than: 10s } }")
                        .warnings())
                .containsExactly(
                        "sinks.warehouse.breaker.slow_call.longer_than: 10s is not below write.timeout 10s, so no call can be slow; lower it");
    }

    @Test
    @Tag("CFG-8")
    void aWriteToPostgresHasTimeForItsLogin() {
        assertThat(PipelineText.postgres().sink("write: { timeout: 500ms }").problems())
                .isEmpty();
        assertThat(PipelineText.postgres().sink("write: { timeout: 499ms }").problems())
                .containsExactly("sinks.warehouse.write.timeout: 499ms is below 500ms, "
                        + "which a login and a write to postgres need at least; raise it");
    }

    @ParameterizedTest
    @CsvSource({"none,true,true", "L1,true,true", "L2,false,true", "L3,false,true", "L4,false,true"})
    @Tag("EO-11")
    void whatOutlivesARunNeedsAPlan(String level, boolean withoutPlan, boolean withPlan) {
        var text = "require: " + level + "\ndelivery: ";
        assertThat(PipelineText.postgres()
                        .root(text + "effectively_once")
                        .problems()
                        .isEmpty())
                .isEqualTo(withPlan);
        var problems = PipelineText.postgres().root(text + "at_least_once").problems();
        assertThat(problems.isEmpty()).isEqualTo(withoutPlan);
        assertThat(problems)
                .allMatch(problem -> problem.startsWith("require: " + level + " is not reached with delivery")
                        && problem.endsWith("set delivery: effectively_once, or ask for L1"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "max_open_segments: 1|true", "max_open_segments: 64|true", "max_open_segments: 0|false",
                "max_open_segments: 65|false", "metadata_limit: 1024|true", "metadata_limit: 65536|true",
                "metadata_limit: 1023|false", "metadata_limit: 65537|false"
            })
    @Tag("CFG-1")
    void thePlanHasBounds(String setting, boolean fits) {
        var text = PipelineText.postgres().root("checkpoint: { " + setting + " }");
        assertThat(text.problems().isEmpty()).isEqualTo(fits);
    }

    @ParameterizedTest
    @CsvSource({"0,false", "1,true", "10000,true", "10001,false", "0.5,false"})
    @Tag("CFG-1")
    @Tag("EO-17")
    void cutsHaveBounds(String cuts, boolean fits) {
        var text = PipelineText.postgres().sink("batch: { max_cuts: " + cuts + " }");
        assertThat(text.problems().isEmpty()).isEqualTo(fits);
    }

    @Test
    @Tag("ADM-6")
    void whatADeadShardMayHoldDoesNotKeepTheOthersWaiting() {
        var text = PipelineText.postgres();
        assertThat(text.root("admission: { resume_below: 51% }").problems()).isEmpty();
        assertThat(text.root("admission: { resume_below: 50% }").problems())
                .containsExactly("admission.resume_below: a dead shard may hold half of the budget, "
                        + "so the others would wait for it too; raise it above 50%");
    }
}
