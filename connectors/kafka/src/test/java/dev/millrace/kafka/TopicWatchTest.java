package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.TopicId;
import dev.millrace.sinkpool.NanoClock;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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

    /// Describes no topic, and says where a log ends.
    private static Admin thatDescribesNothing(Runnable whenEndsAreAsked) {
        return (Admin) Proxy.newProxyInstance(
                TopicWatchTest.class.getClassLoader(), new Class<?>[] {Admin.class}, (_, method, arguments) -> {
                    if (!method.getName().equals("listOffsets")) return new Refusal();
                    whenEndsAreAsked.run();
                    var ends = new HashMap<TopicPartition, KafkaFuture<ListOffsetsResultInfo>>();
                    for (var partition : ((Map<?, ?>) arguments[0]).keySet())
                        ends.put(
                                (TopicPartition) partition,
                                KafkaFuture.completedFuture(new ListOffsetsResultInfo(7, -1, Optional.empty())));
                    return new ListOffsetsResult(ends);
                });
    }

    @Test
    // It hears no interrupt: where it fails it would run for ever.
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @Tag("OPS-12")
    @DisplayName("OPS-12: where logs end is read though the topics are not described")
    void theEndsAreReadThoughTopicsAreNotDescribed() {
        var accounts = new Accounts(List.of(Bench.sink(1)));
        accounts.of(Bench.P0).ownedBy(0);
        var asked = new AtomicInteger();
        var watches = new ArrayList<TopicWatch>();
        var admin = thatDescribesNothing(() -> {
            // Each look asks twice: for readers of what is committed, and for all.
            if (asked.incrementAndGet() == 4) watches.getFirst().stop();
        });
        watches.add(new TopicWatch(
                new KafkaSourceSettings.Watch(1, 1, 1, 1),
                new AdminCalls(admin, NanoClock.SYSTEM, () -> false),
                NanoClock.SYSTEM,
                accounts,
                List.of(new Ear()),
                Map.of("orders", Bench.ID)));
        watches.getFirst().ask(Set.of("orders"));
        watches.getFirst().run();
        assertThat(asked).hasValue(4);
    }

    /// Whether the watch is silent behind one look at ends that are answered so, and what it hears besides.
    private static long silentBehind(KafkaFuture<ListOffsetsResultInfo> answer, Consumer<TopicWatch> besides) {
        var accounts = new Accounts(List.of(Bench.sink(1)));
        accounts.of(Bench.P0).ownedBy(0);
        var now = new AtomicLong();
        var watches = new ArrayList<TopicWatch>();
        var admin = (Admin) Proxy.newProxyInstance(
                TopicWatchTest.class.getClassLoader(), new Class<?>[] {Admin.class}, (_, method, arguments) -> {
                    if (!method.getName().equals("listOffsets")) return new Refusal();
                    watches.getFirst().stop();
                    var ends = new HashMap<TopicPartition, KafkaFuture<ListOffsetsResultInfo>>();
                    for (var partition : ((Map<?, ?>) arguments[0]).keySet())
                        ends.put((TopicPartition) partition, answer);
                    return new ListOffsetsResult(ends);
                });
        NanoClock clock = () -> now.getAndAdd(100 * Bench.MS);
        var watch = new TopicWatch(
                new KafkaSourceSettings.Watch(Long.MAX_VALUE / 4, 1, 1, 1),
                new AdminCalls(admin, clock, () -> false),
                clock,
                accounts,
                List.of(new Ear()),
                Map.of("orders", Bench.ID));
        watches.add(watch);
        watch.run();
        now.addAndGet(60_000 * Bench.MS);
        besides.accept(watch);
        return watch.silentForNanos(now.get());
    }

    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @Tag("OPS-12")
    @DisplayName(
            "OPS-12: brokers that say nothing are silent; a refusal, a late answer, or any other to the members is one")
    void onlyWhoSaysNothingIsSilent() {
        assertThat(silentBehind(new KafkaFutureImpl<>(), _ -> {})).isGreaterThan(60_000 * Bench.MS);
        assertThat(silentBehind(new KafkaFutureImpl<>(), TopicWatch::heard)).isLessThan(1_000 * Bench.MS);
        var refused = new KafkaFutureImpl<ListOffsetsResultInfo>();
        refused.completeExceptionally(new TopicAuthorizationException(Set.of("orders")));
        assertThat(silentBehind(refused, _ -> {})).isLessThan(61_000 * Bench.MS);
        var late = new KafkaFutureImpl<ListOffsetsResultInfo>();
        assertThat(silentBehind(late, _ -> late.complete(new ListOffsetsResultInfo(7, -1, Optional.empty()))))
                .isLessThan(1_000 * Bench.MS);
        var timedOut = new KafkaFutureImpl<ListOffsetsResultInfo>();
        timedOut.completeExceptionally(new org.apache.kafka.common.errors.TimeoutException("no node"));
        assertThat(silentBehind(timedOut, _ -> {})).isGreaterThan(60_000 * Bench.MS);
    }

    /// Never comes, and keeps nobody waiting for longer than he says.
    private static final class Silence extends KafkaFutureImpl<ListOffsetsResultInfo> {
        private final AtomicLong waited;

        Silence(AtomicLong waited) {
            this.waited = waited;
        }

        @Override
        public ListOffsetsResultInfo get(long timeout, TimeUnit unit) throws TimeoutException {
            waited.addAndGet(unit.toNanos(timeout));
            throw new TimeoutException();
        }
    }

    @Test
    @Tag("OPS-12")
    @DisplayName("OPS-12: ends that nobody answers are waited for together, and not one after the other")
    void endsThatNobodyAnswersAreWaitedForTogether() {
        var waited = new AtomicLong();
        var silence = new HashMap<TopicPartition, KafkaFuture<ListOffsetsResultInfo>>();
        for (var n = 0; n < 1_000; n++) silence.put(new TopicPartition("orders", n), new Silence(waited));
        var admin = (Admin) Proxy.newProxyInstance(
                TopicWatchTest.class.getClassLoader(),
                new Class<?>[] {Admin.class},
                (_, _, _) -> new ListOffsetsResult(silence));
        var ends = new AdminCalls(admin, waited::get, () -> false).ends(silence.keySet(), 1_000 * Bench.MS);
        assertThat(ends).isEmpty();
        assertThat(waited).hasValue(1_000 * Bench.MS);
    }
}
