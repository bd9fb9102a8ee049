package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/// One process of the group of an [OnceRig], from its start to its end, and what it counted until then.
///
/// Thread ownership: the test's thread, and for [#scrape] any.
final class OnceMember {
    private static final Duration LEFT_TO_END = Duration.ofSeconds(8);

    private static final int UNHEARD_SIGTERM = 143;

    private final String name;
    private final MillraceProcess process;
    private final AdminPages pages;
    private final Duration drain;
    private final AtomicLong possibleDuplicates = new AtomicLong();

    OnceMember(Path file, int port, Duration drain) throws IOException {
        name = file.getFileName().toString();
        process = MillraceProcess.run(file);
        pages = new AdminPages(port);
        this.drain = drain;
    }

    String name() {
        return name;
    }

    boolean alive() {
        return process.alive();
    }

    /// How many partitions it says that it owns; 0 while it does not answer.
    int owned() {
        try {
            var owned = 0;
            for (var partition : pages.status().at("/partitions"))
                if (partition.at("/owned").asBoolean()) owned++;
            return owned;
        } catch (IOException notThere) {
            return 0;
        }
    }

    String level() throws IOException {
        return pages.status().at("/sinks/0/level").asText();
    }

    /// The rows that it may have stored twice, as it last told.
    long possibleDuplicates() {
        return possibleDuplicates.get();
    }

    /// Asks it again for those. Nothing if it does not answer.
    void scrape() {
        try {
            var told = (long) pages.metric("millrace_possible_duplicates_total");
            possibleDuplicates.accumulateAndGet(told, Math::max);
        } catch (IOException notThere) {
            // What it told before counts.
        }
    }

    /// SIGKILL; returns when it is gone.
    void kill() throws InterruptedException {
        process.kill();
    }

    /// SIGTERM.
    void terminate() {
        process.terminate();
    }

    /// The end of a drain, and what its report says.
    void awaitDrained() throws Exception {
        var code = process.awaitExit(drain.plus(LEFT_TO_END));
        // The signal came before Java listened for it: nothing was begun.
        if (code == UNHEARD_SIGTERM && !process.stderr().contains("event=")) return;
        assertThat(code).as(process::evidence).isIn(0, 3);
        var report = Report.parse(process.stdout());
        report.addsUp();
        var told = report.shards().stream()
                .mapToLong(Report.Shard::possibleDuplicates)
                .sum();
        possibleDuplicates.accumulateAndGet(told, Math::max);
    }

    /// SIGSTOP or SIGCONT.
    void signal(String signal) throws Exception {
        var kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                .inheritIO()
                .start();
        assertThat(kill.waitFor(Duration.ofSeconds(10))).isTrue();
        assertThat(kill.exitValue()).isZero();
    }

    String evidence() {
        return "--- " + name + ": " + process.evidence();
    }

    void close() {
        process.close();
    }
}
