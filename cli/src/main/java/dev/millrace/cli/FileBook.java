package dev.millrace.cli;

import dev.millrace.pipeline.RunningFile;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which file runs, since when, and what became of those that were given since.
///
/// Thread ownership: any; it is never held for longer than a few assignments.
final class FileBook {
    private final InstantSource wallClock;
    private RunningFile now;
    private String lastGiven;

    FileBook(Path file, String digest, InstantSource wallClock) {
        this.wallClock = wallClock;
        lastGiven = digest;
        now = new RunningFile(
                file.toAbsolutePath().toString(), digest, wallClock.instant(), RunningFile.Reloads.NONE, null);
    }

    synchronized RunningFile now() {
        return now;
    }

    /// Of the content that was looked at last, whatever became of it.
    synchronized String lastGiven() {
        return lastGiven;
    }

    synchronized void given(String digest) {
        lastGiven = digest;
    }

    /// It takes the place of the one before.
    synchronized void takesOver(String digest) {
        becomes(digest, wallClock.instant(), now.reloads(), null);
    }

    /// It has started.
    synchronized void started() {
        var count = now.reloads();
        becomes(
                now.digest(),
                now.since(),
                new RunningFile.Reloads(count.done() + 1, count.refused(), count.failed()),
                now.refused());
    }

    /// It cannot run; what runs is what it was.
    synchronized void refused(String digest, List<String> reasons) {
        var count = now.reloads();
        becomes(
                now.digest(),
                now.since(),
                new RunningFile.Reloads(count.done(), count.refused() + 1, count.failed()),
                new RunningFile.Refused(digest, wallClock.instant(), reasons));
    }

    /// It did not start; the one before is started again.
    synchronized void failed(String digest, String reason, String before) {
        var count = now.reloads();
        becomes(
                before,
                wallClock.instant(),
                new RunningFile.Reloads(count.done(), count.refused(), count.failed() + 1),
                new RunningFile.Refused(digest, wallClock.instant(), List.of(reason)));
    }

    private void becomes(
            String digest, Instant since, RunningFile.Reloads reloads, RunningFile.@Nullable Refused refused) {
        now = new RunningFile(now.file(), digest, since, reloads, refused);
    }
}
