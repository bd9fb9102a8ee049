package dev.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.HandOver.Kind;
import java.util.EnumMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The bench of producers, without its clock.
final class ProducerBenchTest {
    @ParameterizedTest
    @EnumSource
    @Tag("ADM-8")
    void whatEightProducersPutComesOutOnceThoughThereIsLittleRoom(Kind kind) throws Exception {
        try (var threads = Executors.newFixedThreadPool(8)) {
            var handOver = kind.start(64);
            var done = IntStream.range(0, 8)
                    .mapToObj(_ -> threads.submit((Callable<@Nullable Void>) () -> {
                        for (var i = 0; i < 500; i++) handOver.put(kind);
                        return null;
                    }))
                    .toList();
            for (var one : done) one.get();
            handOver.stop();
            assertThat(handOver.dropped()).isEqualTo(4000);
        }
    }

    @Test
    void theGoalIsMissedBehindOneQueueOrTooFarBehindTheDisruptor() {
        var rates = new EnumMap<Kind, Double>(Kind.class);
        for (var kind : Kind.values()) rates.put(kind, 10.0);
        rates.put(Kind.FRONT, 10.1);
        assertThat(ProducerBench.reached(rates)).isTrue();
        rates.put(Kind.DISRUPTOR, 15.1);
        assertThat(ProducerBench.reached(rates)).isTrue();
        rates.put(Kind.DISRUPTOR, 15.2);
        assertThat(ProducerBench.reached(rates)).isFalse();
        rates.put(Kind.DISRUPTOR, 1.0);
        rates.put(Kind.ARRAY, 10.1);
        assertThat(ProducerBench.reached(rates)).isFalse();
    }
}
