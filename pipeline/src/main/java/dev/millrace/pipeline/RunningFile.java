package dev.millrace.pipeline;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which file a pipeline runs, since when, and what became of those that were given since, for people.
///
/// `digest` tells one content from another. `refused` is the last that was given, where that is not the one that runs.
///
/// @param file its path, null for a pipeline that was not made from a file
public record RunningFile(
        @Nullable String file,
        String digest,
        Instant since,
        Reloads reloads,
        @Nullable Refused refused) {
    /// How often it was read anew and ran then, was refused with nothing changed, and did not start, so that the one
    /// before was started again.
    public record Reloads(long done, long refused, long failed) {
        public static final Reloads NONE = new Reloads(0, 0, 0);
    }

    /// A file that does not run, and why, a line each. Holds no secret.
    public record Refused(String digest, Instant at, List<String> reasons) {
        public Refused {
            reasons = List.copyOf(reasons);
        }
    }

    /// Of a pipeline that was made from no file.
    static RunningFile none(Instant since) {
        return new RunningFile(null, "", since, Reloads.NONE, null);
    }
}
