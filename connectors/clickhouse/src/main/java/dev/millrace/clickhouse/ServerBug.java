package dev.millrace.clickhouse;

import java.util.List;

/// A bug of the server by which an insert that was interrupted loses rows, although the same again is told to be
/// written: which versions have it, what it does, and what helps.
///
/// `id` is the server's project's own number of it.
record ServerBug(String id, List<Versions> affected, String what, String remedy) {
    /// From the one up to before the other.
    record Versions(String from, String before) {
        boolean holds(String version) {
            return Preflight.byVersion(from, version) <= 0 && Preflight.byVersion(version, before) < 0;
        }
    }

    /// Of tables that are replicated. Each range ends where the release line has the fix; what is below the first fix
    /// counts as affected, since nobody told since when.
    static final List<ServerBug> OF_REPLICATED = List.of(
            new ServerBug(
                    "#112149",
                    List.of(
                            new Versions("0", "26.3.33.61"),
                            new Versions("26.4", "26.6.5.114"),
                            new Versions("26.7", "26.7.7.87"),
                            new Versions("26.8", "26.8.3.98")),
                    "an insert that is interrupted while its commit is unknown may lose its rows and keep its token, so"
                            + " the same again is dropped as a repeat",
                    "upgrade to 26.3.33.61, 26.6.5.114, 26.7.7.87, 26.8.3.98 or later in these lines, or to 26.9"),
            new ServerBug(
                    "#80735",
                    List.of(new Versions("24.5", "24.6")),
                    "after trouble with Keeper an insert may be told to be there already, and is not",
                    "upgrade to a later line"));

    ServerBug {
        affected = List.copyOf(affected);
    }

    boolean holds(String version) {
        return affected.stream().anyMatch(range -> range.holds(version));
    }

    /// Those that a server of this version has.
    static List<ServerBug> of(String version) {
        return OF_REPLICATED.stream().filter(bug -> bug.holds(version)).toList();
    }
}
