package dev.millrace.bench;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import dev.millrace.sinkpool.DiscardingDoor;
import java.util.ArrayList;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Many producers hand items to one consumer, which drops them; a producer waits where there is no room.
///
/// Thread ownership: `put` from any thread; the rest whoever made it.
public interface HandOver {
    void put(Object item) throws InterruptedException;

    /// Items that came out.
    long dropped();

    /// Producers have ended. What is in it comes out before this returns.
    void stop() throws InterruptedException;

    /// The kinds there are.
    enum Kind {
        FRONT("the front"),
        LINKED("LinkedBlockingQueue"),
        ARRAY("ArrayBlockingQueue"),
        DISRUPTOR_SPINNING("Disruptor, its consumer spinning"),
        DISRUPTOR("Disruptor, its consumer waiting");

        private final String title;

        Kind(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }

        /// One with room for so many, whose consumer runs.
        HandOver start(int capacity) {
            return switch (this) {
                case FRONT -> new Front(capacity);
                case LINKED -> new Queue(new LinkedBlockingQueue<>(capacity));
                case ARRAY -> new Queue(new ArrayBlockingQueue<>(capacity));
                case DISRUPTOR_SPINNING -> new Ring(capacity, new YieldingWaitStrategy());
                case DISRUPTOR -> new Ring(capacity, new BlockingWaitStrategy());
            };
        }
    }

    /// A slot is reserved for each, and spent on it.
    final class Front implements HandOver {
        private final DiscardingDoor door;

        Front(int capacity) {
            door = new DiscardingDoor(capacity);
            door.start();
        }

        @Override
        public void put(Object item) throws InterruptedException {
            door.put(item);
        }

        @Override
        public long dropped() {
            return door.dropped();
        }

        @Override
        public void stop() throws InterruptedException {
            door.stop();
        }
    }

    /// Its consumer takes what there is at once, and waits for the first.
    final class Queue implements HandOver {
        private static final int MOST_AT_ONCE = 4096;
        private static final Object END = new Object();

        private final BlockingQueue<Object> queue;
        private final AtomicLong dropped = new AtomicLong();
        private final Thread consumer = new Thread(this::run, "queue");

        Queue(BlockingQueue<Object> queue) {
            this.queue = queue;
            consumer.start();
        }

        private void run() {
            var taken = new ArrayList<Object>(MOST_AT_ONCE);
            try {
                while (!taken.contains(END)) {
                    taken.clear();
                    taken.add(queue.take());
                    queue.drainTo(taken, MOST_AT_ONCE);
                    dropped.addAndGet(taken.size());
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void put(Object item) throws InterruptedException {
            queue.put(item);
        }

        @Override
        public long dropped() {
            return dropped.get();
        }

        @Override
        public void stop() throws InterruptedException {
            queue.put(END);
            consumer.join();
            dropped.decrementAndGet();
        }
    }

    /// A ring of places made beforehand, for many producers.
    final class Ring implements HandOver {
        /// One of them.
        static final class Place {
            private @Nullable Object item;
        }

        private final Disruptor<Place> disruptor;
        private final AtomicLong dropped = new AtomicLong();
        private long count;

        Ring(int capacity, WaitStrategy waiting) {
            disruptor =
                    new Disruptor<>(Place::new, capacity, run -> new Thread(run, "ring"), ProducerType.MULTI, waiting);
            disruptor.handleEventsWith((place, _, last) -> {
                if (place.item != null) count++;
                if (last) dropped.lazySet(count);
            });
            disruptor.start();
        }

        @Override
        public void put(Object item) {
            var ring = disruptor.getRingBuffer();
            var at = ring.next();
            ring.get(at).item = item;
            ring.publish(at);
        }

        @Override
        public long dropped() {
            return dropped.get();
        }

        @Override
        public void stop() {
            disruptor.shutdown();
        }
    }
}
