package dev.millrace.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// The seeds that ever found something, from `regressions.txt`: they are run for ever.
///
/// A seed repeats its run as long as the model stays as it is; later it is a seed like any other, and stays all the
/// same.
public final class Regressions {
    private Regressions() {}

    /// A seed, the commit or version in which it found something, and what.
    public record Found(long seed, String in, String what) {}

    public static List<Found> all() {
        try (var in = Regressions.class.getResourceAsStream("regressions.txt")) {
            if (in == null) throw new IllegalStateException("regressions.txt is missing");
            return read(new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// One a line: seed, commit, and the rest is words. Empty lines and those that begin with `#` say nothing.
    static List<Found> read(BufferedReader lines) throws IOException {
        var out = new ArrayList<Found>();
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.isBlank() || line.startsWith("#")) continue;
            var parts = line.strip().split("\\s+", 3);
            if (parts.length < 3) throw new IllegalArgumentException("not 'seed commit what was found': " + line);
            out.add(new Found(Long.parseLong(parts[0]), parts[1], parts[2]));
        }
        return out;
    }
}
