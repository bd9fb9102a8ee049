package dev.millrace.sinkpool;

import java.util.List;

/// What looking at a sink came to: what it holds of repeats, and what a person should know.
public record Checkup(Guarantee guarantee, List<Finding> findings) {
    public Checkup {
        findings = List.copyOf(findings);
    }
}
