package dev.millrace.testkit;

import dev.millrace.checkpoint.TopicId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The watch over the topics' identities, as `TopicWatch` is in production: it knows them as they were when the process
/// began, looks at them now and then and when asked, and tells every member.
///
/// Thread ownership: the run.
final class FakeWatch {
    private final PipelineProcess process;
    private final World world;
    private final List<TopicId> known;
    private final Set<Integer> told = new HashSet<>();
    private boolean asked;

    FakeWatch(PipelineProcess process) {
        this.process = process;
        this.world = process.world;
        this.known = world.log.topics();
    }

    void begin() {
        process.later(process.source.identityNanos() + world.outageNanos(), () -> {
            if (process.draining()) return;
            look();
            begin();
        });
    }

    void ask() {
        if (asked) return;
        asked = true;
        process.later(world.chance.millis(1, 50), this::look);
    }

    private void look() {
        asked = false;
        var now = world.log.topics();
        for (var topic = 0; topic < now.size(); topic++) {
            if (known.get(topic).equals(now.get(topic)) || !told.add(topic)) continue;
            for (var member : process.members()) member.changed("t" + topic, known.get(topic), now.get(topic));
        }
        for (var member : process.members()) member.identified(now);
    }
}
