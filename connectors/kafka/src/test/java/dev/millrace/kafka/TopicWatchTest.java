package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.TopicId;
import dev.millrace.sinkpool.NanoClock;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What the watch looks up, and when it stops.
final class TopicWatchTest {
    private final AtomicInteger lookUps = new AtomicInteger();
    private final Admin admin = (Admin) Proxy.newProxyInstance(
            Admin.class.getClassLoader(), new Class<?>[] {Admin.class}, (_, method, _) -> {
                lookUps.incrementAndGet();
                throw new IllegalStateException(method.getName() + " was called");
            });

    /// Everything is due at once, and one topic was asked for besides.
    @Test
    @Tag("DRN-7")
    void nothingIsLookedUpOnceAStopWasAskedFor() {
        var watch = new TopicWatch(
                new KafkaSourceSettings.Watch(1, 1, 1),
                new AdminCalls(admin, NanoClock.SYSTEM, () -> false),
                NanoClock.SYSTEM,
                new Accounts(List.of()),
                List.of(),
                Map.of("orders", new TopicId("one")));
        watch.ask(Set.of("payments"));
        watch.stop();
        watch.run();
        assertThat(lookUps).hasValue(0);
    }
}
