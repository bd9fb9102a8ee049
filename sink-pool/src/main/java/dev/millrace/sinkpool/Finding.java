package dev.millrace.sinkpool;

/// Something that a person should know of what a pipeline's file names, found by looking and
/// changing nothing.
///
/// `where` is a place in the file, with the address where it is one of several. `what` says what is so,
/// `remedy` what to do about it; empty where nothing is to be done. None of them holds a row or a secret;
/// they may hold a server's text.
public record Finding(Severity severity, String where, String what, String remedy) {
    /// How much it matters, the worst first.
    public enum Severity {
        /// The start is refused, or nothing can be read or written there as it stands.
        FAULT,
        /// No answer came, so nothing is known.
        UNREACHED,
        /// It works, and goes wrong one day.
        HAZARD,
        /// Good to know.
        NOTE
    }

    public Finding {
        if (where.isEmpty() || what.isEmpty()) throw new IllegalArgumentException("a finding says what, and of what");
    }

    public static Finding fault(String where, String what, String remedy) {
        return new Finding(Severity.FAULT, where, what, remedy);
    }

    public static Finding unreached(String where, String what, String remedy) {
        return new Finding(Severity.UNREACHED, where, what, remedy);
    }

    public static Finding hazard(String where, String what, String remedy) {
        return new Finding(Severity.HAZARD, where, what, remedy);
    }

    public static Finding note(String where, String what, String remedy) {
        return new Finding(Severity.NOTE, where, what, remedy);
    }

    /// The same where nothing waits for it: what would be a fault is one day's trouble.
    public Finding ofAdvisory() {
        return switch (severity) {
            case FAULT, UNREACHED -> hazard(where, what, remedy);
            case HAZARD, NOTE -> this;
        };
    }
}
