package dev.millrace.pipeline;

import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.Finding.Severity;
import dev.millrace.sinkpool.Guarantee;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What looking at a pipeline came to: the findings, the worst first, and what each sink holds of
/// repeats, by its name.
public record Diagnosis(List<Finding> findings, Map<String, Guarantee> guarantees) {
    public Diagnosis {
        findings = findings.stream()
                .sorted(Comparator.comparing(Finding::severity).thenComparing(Finding::where))
                .toList();
        guarantees = Collections.unmodifiableMap(new LinkedHashMap<>(guarantees));
    }

    public long count(Severity severity) {
        return findings.stream()
                .filter(finding -> finding.severity() == severity)
                .count();
    }

    /// As a start would end: 2 where something has to be mended first, 5 where something did not
    /// answer, else 0.
    public ExitCode exitCode() {
        var code = ExitCode.DRAINED;
        if (count(Severity.FAULT) > 0) code = code.or(ExitCode.BAD_CONFIGURATION);
        if (count(Severity.UNREACHED) > 0) code = code.or(ExitCode.FATAL);
        return code;
    }
}
