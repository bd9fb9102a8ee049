package dev.millrace.clickhouse;

import dev.millrace.sinkpool.WriteOutcome;

/// A server did not answer a question about itself: `of` is what it was asked about.
final class NotTold extends Exception {
    private static final long serialVersionUID = 1L;

    private final String of;
    private final transient WriteOutcome outcome;

    NotTold(String of, WriteOutcome outcome) {
        super(of, null, false, false);
        this.of = of;
        this.outcome = outcome;
    }

    String of() {
        return of;
    }

    WriteOutcome outcome() {
        return outcome;
    }
}
