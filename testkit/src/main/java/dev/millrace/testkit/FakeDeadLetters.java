package dev.millrace.testkit;

import static dev.millrace.testkit.Chance.MILLI;

import dev.millrace.sinkpool.DeadLetters.Done;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.RowRef;

/// The dead-letter topic: takes letters after a while, is down, or loses an acknowledgement, so that a letter is sent
/// again.
///
/// Thread ownership: the run.
final class FakeDeadLetters {
    private final World world;
    private long downUntil;

    FakeDeadLetters(World world) {
        this.world = world;
    }

    void down(long nanos) {
        world.note("dead letters down", nanos, 0);
        downUntil = Math.max(downUntil, world.agenda.elapsed() + nanos);
    }

    void heal() {
        downUntil = 0;
    }

    /// Sends a row until it is acknowledged, or its sender is no more.
    void send(PipelineProcess process, RowRef row, Done done) {
        send(process, FakeRows.lifeOf(row), row.offset(), done);
    }

    /// Sends the record of this life of a partition, by index, likewise.
    void send(PipelineProcess process, int life, long offset, Done done) {
        world.agenda.in(world.chance.between(0, 20 * MILLI), () -> arrives(process, life, offset, done));
    }

    // What is on its way arrives also when its sender has died.
    private void arrives(PipelineProcess process, int life, long offset, Done done) {
        if (world.agenda.elapsed() < downUntil || world.outageNanos() > 0) {
            done.failed(new Failure("dlq", "simulated", true));
            if (!process.gone())
                world.agenda.in(500 * MILLI + world.outageNanos(), () -> arrives(process, life, offset, done));
            return;
        }
        world.log.setAside(life, offset);
        if (world.strikes(Fault.LETTER_ACK_LOST, 0.3)) {
            world.reached(Sometimes.DEAD_LETTER_LOST_ACK);
            if (!process.gone()) send(process, life, offset, done);
            return;
        }
        world.agenda.in(world.chance.between(0, 20 * MILLI), done::acknowledged);
    }
}
