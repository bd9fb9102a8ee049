package dev.millrace.lab.clickhouse;

import java.nio.ByteBuffer;
import java.util.regex.Pattern;

/// What became of one statement in an engine.
sealed interface EngineResult {
    /// It ran to its end; an insert is committed then.
    record Done(Counts counts, ByteBuffer output) implements EngineResult {}

    /// The engine refused it or gave it up, in its own words. An insert may have stored some of its rows.
    record Failed(String text) implements EngineResult {
        private static final Pattern CODE = Pattern.compile("Code: (\\d+)");

        /// ClickHouse's number of the error, or 0 where the text has none.
        int code() {
            var found = CODE.matcher(text);
            return found.find() ? Integer.parseInt(found.group(1)) : 0;
        }
    }

    /// The engine's process ended, or never was: nobody knows how far it came.
    record Gone() implements EngineResult {}

    /// What the engine counted. Rows that it dropped as duplicates count as written.
    record Counts(long rowsRead, long bytesRead, long rowsWritten, long bytesWritten, long nanos) {
        static final Counts NONE = new Counts(0, 0, 0, 0, 0);
    }
}
