package dev.millrace.intake;

import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.Fate;
import dev.millrace.sinkpool.ItemEndings;

/// Tells each row's request what became of the row.
///
/// Thread ownership: immutable.
public final class RowFates implements ItemEndings<IntakeRow> {
    @Override
    public void refused(IntakeRow row, Failure why) {
        row.outcome().refused(row, why.code());
    }

    @Override
    public void ended(IntakeRow row, Fate fate) {
        row.outcome().ended(row, fate);
    }
}
