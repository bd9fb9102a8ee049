package dev.millrace.testkit;

import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.Failure;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;

/// The dead letters of what the members of one process could not read. Those that are on their way when it ends are
/// given up.
///
/// Thread ownership: the run.
final class SourceLetters implements DeadLetters {
    private final PipelineProcess process;
    private final Set<Told> out = new LinkedHashSet<>();

    SourceLetters(PipelineProcess process) {
        this.process = process;
    }

    @Override
    public void send(Letter letter, Done done) {
        var world = process.world;
        world.reached(Sometimes.UNREADABLE_ROW_DEAD_LETTERED);
        var told = new Told(done);
        out.add(told);
        world.letters.send(process, FakeRecords.lifeOf(letter.encoded()), letter.offset(), told);
    }

    boolean isEmpty() {
        return out.isEmpty();
    }

    /// Nothing is heard of them any more.
    void close() {
        for (var told : new ArrayList<>(out)) told.abandoned();
    }

    private final class Told implements Done {
        private final Done done;

        Told(Done done) {
            this.done = done;
        }

        @Override
        public void acknowledged() {
            process.doNow(() -> {
                if (out.remove(this)) done.acknowledged();
            });
        }

        @Override
        public void failed(Failure why) {
            process.world.reached(Sometimes.DEAD_LETTER_DOWN);
        }

        @Override
        public void abandoned() {
            out.remove(this);
            process.world.reached(Sometimes.LETTER_GIVEN_UP);
            done.abandoned();
        }
    }
}
