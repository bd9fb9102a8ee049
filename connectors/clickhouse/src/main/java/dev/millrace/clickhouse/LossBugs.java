package dev.millrace.clickhouse;

import java.util.List;

/// Versions of ClickHouse that are known to lose rows of replicated tables which they acknowledged.
final class LossBugs {
    /// `what` happens, and what to do. `fixed` are the first versions without it, one for each
    /// branch that has it.
    record Bug(String what, String remedy, List<String> fixed) {
        /// A branch that is not named is older than the fix, unless it is newer than all that are.
        boolean in(String version) {
            var newest = fixed.stream().max(Preflight::byVersion).orElseThrow();
            for (var first : fixed)
                if (branch(first).equals(branch(version))) return Preflight.byVersion(version, first) < 0;
            return Preflight.byVersion(version, newest) < 0;
        }

        private static String branch(String version) {
            var parts = version.split("\\.", -1);
            return parts.length < 2 ? version : parts[0] + '.' + parts[1];
        }
    }

    private static final List<Bug> TABLE = List.of(new Bug(
            "an insert into a replicated table that is cancelled while it commits may be forgotten, and its repeat taken"
                    + " for a duplicate: its rows are lost (ClickHouse issues 111196 and 112149)",
            "upgrade to 26.3.33.61, 26.6.5.114, 26.7.7.87, 26.8.3.98 or later; until then give write.timeout plenty",
            List.of("26.3.33.61", "26.6.5.114", "26.7.7.87", "26.8.3.98")));

    private LossBugs() {}

    static List<Bug> of(String version) {
        return TABLE.stream().filter(bug -> bug.in(version)).toList();
    }
}
