package dev.millrace.pipeline;

import dev.millrace.pipeline.SizingFigure.Unit;
import dev.millrace.sinkpool.Finding;
import java.util.ArrayList;
import java.util.List;

/// Where the parts of one sizing put what they find.
///
/// Thread ownership: the thread that sizes.
final class SizingSheet {
    private final List<SizingFigure> figures = new ArrayList<>();
    private final List<Finding> findings = new ArrayList<>();

    double add(String of, String name, double value, Unit unit, String from) {
        figures.add(new SizingFigure(of, name, value, unit, from));
        return value;
    }

    void add(Finding finding) {
        findings.add(finding);
    }

    Sizing whole() {
        return new Sizing(figures, findings);
    }
}
