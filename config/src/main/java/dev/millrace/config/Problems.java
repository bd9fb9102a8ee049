package dev.millrace.config;

import java.util.ArrayList;
import java.util.List;

/// Collects what is wrong with one file, and the warnings, until everything was looked at.
///
/// Thread ownership: the thread that reads the file.
final class Problems {
    /// So many are listed; more only come from what is no pipeline's file at all.
    static final int MOST = 1000;

    private final String file;
    private final List<Problem> errors = new ArrayList<>();
    private final List<Problem> warnings = new ArrayList<>();

    Problems(String file) {
        this.file = Text.printable(file, 500);
    }

    void error(Place place, String path, String message) {
        if (errors.size() < MOST) errors.add(new Problem(file, place.line(), place.column(), path, message));
    }

    void warn(Place place, String path, String message) {
        warnings.add(new Problem(file, place.line(), place.column(), path, message));
    }

    /// Whether what is told now would not be listed.
    boolean full() {
        return errors.size() >= MOST;
    }

    boolean none() {
        return errors.isEmpty();
    }

    List<Problem> sortedErrors() {
        var sorted = errors.stream().sorted(Problem.BY_PLACE).distinct().toList();
        if (errors.size() < MOST) return sorted;
        var all = new ArrayList<>(sorted);
        var last = all.getLast();
        var message = "there may be more problems; remove these first";
        all.add(new Problem(file, last.line(), last.column(), "", message));
        return all;
    }

    List<Problem> sortedWarnings() {
        return warnings.stream().sorted(Problem.BY_PLACE).distinct().toList();
    }
}
