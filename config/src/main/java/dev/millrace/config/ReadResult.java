package dev.millrace.config;

import java.util.List;

/// What became of reading a file: a configuration that can run, or everything that is wrong with it.
public sealed interface ReadResult {

    /// The configuration, and what is allowed in it but should be known, sorted by place.
    record Loaded(PipelineConfig config, List<Problem> warnings) implements ReadResult {
        public Loaded {
            warnings = List.copyOf(warnings);
        }
    }

    /// At least one problem, sorted by place. The caller ends with exit code 2.
    record Refused(List<Problem> problems) implements ReadResult {
        public Refused {
            problems = List.copyOf(problems);
            Require.atLeast("problems", problems.size(), 1);
        }
    }
}
