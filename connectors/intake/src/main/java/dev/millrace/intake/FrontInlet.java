package dev.millrace.intake;

import dev.millrace.sinkpool.Loss;
import dev.millrace.sinkpool.ProducerFront;
import dev.millrace.sinkpool.Refused;
import dev.millrace.sinkpool.Reservation;

/// An inlet over a front for producers.
///
/// Thread ownership: shared.
public record FrontInlet(ProducerFront<IntakeRow> front) implements Inlet {
    @Override
    public Room reserve(int rows) {
        return switch (front.reserve(rows)) {
            case Refused<IntakeRow>(var why) -> new None(why);
            case Reservation<IntakeRow> reservation -> new Slots(reservation);
        };
    }

    @Override
    public long maxRows() {
        return front.reservedRows();
    }

    @Override
    public long maxBytes() {
        return front.reservedBytes();
    }

    @Override
    public long ended() {
        var counts = front.counts();
        return counts.written()
                + counts.lost(Loss.REJECTED)
                + counts.lost(Loss.UNREACHABLE)
                + counts.lost(Loss.SHUTDOWN);
    }

    private record Slots(Reservation<IntakeRow> reservation) implements Held {
        @Override
        public boolean stage(IntakeRow row) {
            return reservation.stage(row.topic(), row);
        }

        @Override
        public void close() {
            reservation.close();
        }
    }
}
