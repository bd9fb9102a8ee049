package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.TopicId;
import dev.millrace.sinkpool.NanoClock;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class TopicWatchTest {
    /// Remembers why it is no longer watched.
    private static final class Ear implements TopicWatch.Reader {
        final List<Throwable> unwatched = new ArrayList<>();

        @Override
        public void changed(String topic, TopicId was, @Nullable TopicId is) {}

        @Override
        public void identified(Map<String, TopicId> topics) {}

        @Override
        public void unwatched(Throwable why) {
            unwatched.add(why);
        }
    }

    private static Admin broken() {
        return (Admin) Proxy.newProxyInstance(
                TopicWatchTest.class.getClassLoader(), new Class<?>[] {Admin.class}, (_, method, _) -> {
                    throw new IllegalStateException(method.getName());
                });
    }

    @Test
    @Tag("DRN-10")
    void aWatchThatDiesIsTold() {
        var ear = new Ear();
        var calls = new AdminCalls(broken(), () -> 0, () -> false);
        var watch = new TopicWatch(
                Bench.settings().watch(), calls, () -> 0, new Accounts(List.of()), List.of(ear), Map.of());
        watch.ask(Set.of("orders"));
        watch.run();
        assertThat(ear.unwatched).singleElement().isInstanceOf(IllegalStateException.class);
    }

    /// Nobody may describe a topic there: it says so at once.
    private static final class Refusal extends DescribeTopicsResult {
        Refusal() {
            super(null, Map.of("orders", refused()));
        }

        private static KafkaFuture<TopicDescription> refused() {
            var future = new KafkaFutureImpl<TopicDescription>();
            future.completeExceptionally(new TopicAuthorizationException(Set.of("orders")));
            return future;
        }
    }

    @Test
    @Tag("SRC-6")
    void aRefusalIsNotAskedAgainWithoutAPause() {
        var asked = new ArrayList<Long>();
        var watches = new ArrayList<TopicWatch>();
        var admin = (Admin) Proxy.newProxyInstance(
                TopicWatchTest.class.getClassLoader(), new Class<?>[] {Admin.class}, (_, _, _) -> {
                    asked.add(System.nanoTime());
                    if (asked.size() == 2) watches.getFirst().stop();
                    return new Refusal();
                });
        var calls = new AdminCalls(admin, NanoClock.SYSTEM, () -> false);
        watches.add(new TopicWatch(
                Bench.settings().watch(),
                calls,
                NanoClock.SYSTEM,
                new Accounts(List.of()),
                List.of(new Ear()),
                Map.of()));
        watches.getFirst().ask(Set.of("orders"));
        watches.getFirst().run();
        assertThat(asked.get(1) - asked.get(0)).isGreaterThanOrEqualTo(500 * Bench.MS);
    }

    /// Everything is due at once, and one topic was asked for besides.
    @Test
    @Tag("DRN-7")
    void nothingIsLookedUpOnceAStopWasAskedFor() {
        var lookUps = new AtomicInteger();
        var admin = (Admin) Proxy.newProxyInstance(
                TopicWatchTest.class.getClassLoader(), new Class<?>[] {Admin.class}, (_, method, _) -> {
                    lookUps.incrementAndGet();
                    throw new IllegalStateException(method.getName() + " was called");
                });
        var watch = new TopicWatch(
                new KafkaSourceSettings.Watch(1, 1, 1, 1),
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
