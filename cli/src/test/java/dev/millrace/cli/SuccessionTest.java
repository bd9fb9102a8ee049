package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.Configuration;
import dev.millrace.config.ReadResult;
import dev.millrace.pipeline.DrainReport;
import dev.millrace.pipeline.ExitCode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Which pipeline follows which in one process.
@Timeout(20)
final class SuccessionTest {
    private static final String FILE = """
            pipeline: { name: shop }
            source: { kafka: { bootstrap_servers: "b:9092", topics: [t], group_id: g, on_no_offset: earliest } }
            format: { raw: {} }
            sinks: { out: { blackhole: {}, shards: { s0: ["blackhole:s0"] } } }
            """;

    private static final LoadedFile NEXT = new LoadedFile(
            switch (Configuration.read("f", FILE, _ -> null)) {
                case ReadResult.Loaded(var config, var _) -> config;
                case ReadResult.Refused(var problems) -> throw new AssertionError(problems.toString());
            },
            "next");

    /// The first word counts, as with a pipeline.
    private static final class FakeRun implements Succession.Stoppable {
        private final CompletableFuture<String> reason = new CompletableFuture<>();
        private final List<String> asked = new CopyOnWriteArrayList<>();
        private boolean drainedByHand;

        @Override
        public boolean drainedByHand() {
            return drainedByHand;
        }

        @Override
        public void stop(String why) {
            asked.add(why);
            reason.complete(why);
        }

        DrainReport drained(ExitCode code) throws Exception {
            return new DrainReport(
                    "shop",
                    "0",
                    Instant.EPOCH,
                    Instant.EPOCH,
                    reason.get(10, TimeUnit.SECONDS),
                    code.code(),
                    false,
                    0,
                    0,
                    true,
                    true,
                    new DrainReport.Rows(0, 0, 0, 0, 0, 0L, 0L),
                    0,
                    0,
                    0,
                    List.of(),
                    List.of(),
                    List.of(),
                    null);
        }
    }

    private final Succession<FakeRun> succession = new Succession<>();
    private final FakeRun run = new FakeRun();
    private final List<Thread> reloads = new ArrayList<>();

    private void reload() throws Exception {
        var asked = new CompletableFuture<Void>();
        reloads.add(Thread.ofPlatform().daemon().start(() -> {
            try {
                asked.complete(null);
                succession.replace(NEXT);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }));
        asked.get(10, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @EnumSource(ExitCode.class)
    @DisplayName("a file follows what made place for it, unless it ended in a fault or in a state that is unknown")
    void aFileFollowsWhatMadePlaceForIt(ExitCode code) throws Exception {
        succession.enter(run);
        reload();
        var follows = succession.leave(run.drained(code));
        if (code == ExitCode.DRAINED || code == ExitCode.LEFT_UNDONE)
            assertThat(follows).isSameAs(NEXT);
        else assertThat(follows).isNull();
        assertThat(run.asked).containsExactly("reload");
    }

    @Test
    @DisplayName("a reload that is asked for behind POST /drain starts nothing again")
    void aReloadBehindADrainByHandStartsNothing() throws Exception {
        succession.enter(run);
        run.stop("POST /drain");
        reload();
        while (run.asked.size() < 2) Thread.onSpinWait();
        assertThat(succession.leave(run.drained(ExitCode.DRAINED))).isNull();
    }

    @Test
    @Tag("DRN-6")
    @DisplayName("DRN-6: behind a signal nothing is started, also where it comes amid a reload")
    void behindASignalNothingIsStarted() throws Exception {
        succession.enter(run);
        reload();
        var report = run.drained(ExitCode.DRAINED);
        assertThat(succession.goesOn()).isTrue();
        assertThat(succession.end()).isSameAs(run);
        assertThat(succession.goesOn()).isFalse();
        assertThat(succession.leave(report)).isNull();
    }

    @Test
    @Tag("DRN-6")
    @DisplayName("DRN-6: a signal between two runs stops the second as soon as it is there")
    void aSignalBetweenTwoRunsStopsTheSecond() throws Exception {
        succession.enter(run);
        reload();
        assertThat(succession.leave(run.drained(ExitCode.DRAINED))).isSameAs(NEXT);
        assertThat(succession.end()).isNull();
        var second = new FakeRun();
        succession.enter(second);
        assertThat(second.asked).containsExactly("a signal came between two runs");
    }

    @Test
    @DisplayName("a reload that is asked for while the next one starts stops that, and returns when it is replaced")
    void aReloadAmidAReloadIsDoneBehindIt() throws Exception {
        succession.enter(run);
        reload();
        assertThat(succession.leave(run.drained(ExitCode.LEFT_UNDONE))).isSameAs(NEXT);
        reload();
        var second = new FakeRun();
        succession.enter(second);
        assertThat(succession.leave(second.drained(ExitCode.DRAINED))).isSameAs(NEXT);
        var third = new FakeRun();
        succession.enter(third);
        for (var reload : reloads)
            assertThat(reload.join(java.time.Duration.ofSeconds(10))).isTrue();
        assertThat(third.asked).isEmpty();
    }

    @Test
    @Tag("DRN-8")
    @DisplayName("DRN-8: what did not start is given back, and that is no end as long as the one before may run again")
    void fallingBackIsNoEnd() throws Exception {
        succession.enter(run);
        reload();
        assertThat(succession.leave(run.drained(ExitCode.DRAINED))).isSameAs(NEXT);
        var wrong = new FakeRun();
        succession.enter(wrong);
        assertThat(succession.goesOn()).isFalse();
        succession.fallsBack();
        assertThat(succession.goesOn()).isTrue();
        assertThat(succession.mayFollow(wrong)).isTrue();
        var again = new FakeRun();
        succession.enter(again);
        assertThat(succession.goesOn()).isFalse();
        succession.fallsBack();
        assertThat(succession.end()).isSameAs(again);
        assertThat(succession.goesOn()).isFalse();
        assertThat(succession.mayFollow(again)).isFalse();
    }

    @Test
    @DisplayName("POST /drain to a run that did not start keeps the one before from running again")
    void aDrainByHandAmidAFallbackEndsIt() {
        var wrong = new FakeRun();
        succession.enter(wrong);
        succession.fallsBack();
        wrong.drainedByHand = true;
        assertThat(succession.mayFollow(wrong)).isFalse();
    }
}
