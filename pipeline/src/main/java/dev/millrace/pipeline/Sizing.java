package dev.millrace.pipeline;

import dev.millrace.config.PipelineConfig;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.Finding.Severity;
import java.util.List;

/// What a pipeline's settings need, and what a load makes of them: figures, and where the settings do not fit it.
///
/// Connects nowhere. What is computed is told with its formula, what was measured with its source.
public record Sizing(List<SizingFigure> figures, List<Finding> findings) {
    public Sizing {
        figures = List.copyOf(figures);
        findings = List.copyOf(findings);
    }

    public static Sizing of(PipelineConfig config, SizingLoad load) {
        var sheet = new SizingSheet();
        new MemoryNeed(config, load, sheet).tell();
        var flow = load.flow();
        if (flow != null) new ProcessorNeed(config, load, flow, SuiteCosts.read(), sheet).tell();
        for (var sink : config.sinks()) new SinkNeed(config, sink, load, sheet).tell();
        new ReplayNeed(config, load, sheet).tell();
        if (flow != null) new OutageNeed(config, load, flow, sheet).tell();
        return sheet.whole();
    }

    /// Whether nothing has to be changed for the load.
    public boolean fits() {
        return findings.stream()
                .noneMatch(finding -> finding.severity() == Severity.FAULT || finding.severity() == Severity.HAZARD);
    }
}
