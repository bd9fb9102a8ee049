package dev.millrace.config;

import java.util.List;

/// What became of explaining a file: its effective configuration, or everything that is wrong with it.
public sealed interface ExplainResult {

    /// `text` holds lines that end with a line feed, secrets as `***`; `warnings` are sorted by place.
    record Explained(String text, List<Problem> warnings) implements ExplainResult {
        public Explained {
            warnings = List.copyOf(warnings);
        }
    }

    /// At least one problem, sorted by place. The caller ends with exit code 2.
    record Refused(List<Problem> problems) implements ExplainResult {
        public Refused {
            problems = List.copyOf(problems);
            Require.atLeast("problems", problems.size(), 1);
        }
    }
}
