package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Where a worker waits: what comes first, what is refused, and when it wakes.
final class MailboxTest {
    private static final ShardEvent PRESSURE = new ShardEvent.Pressure();
    private static final ShardEvent TICK = new ShardEvent.Tick();

    private final Source source = new Source();
    private final AtomicLong now = new AtomicLong(1000);
    private final List<EncodedChunk> made = new ArrayList<>();
    private long next;

    private Mailbox mailbox(long rows, long bytes, long takeRows, long takeBytes) {
        return new Mailbox(new Mailbox.Bounds(rows, bytes, takeRows, takeBytes), now::get);
    }

    private EncodedChunk chunk(int rows) {
        var chunk = source.chunk("orders", 0, 1, next, rows, 10, 0);
        next += rows;
        made.add(chunk);
        return chunk;
    }

    @AfterEach
    void nothingLeaks() {
        made.forEach(EncodedChunk::close);
        source.assertNothingLeaks();
    }

    private static List<EncodedChunk> chunksOf(ShardEvent event) {
        assertThat(event).isInstanceOf(ShardEvent.ChunksArrived.class);
        return ((ShardEvent.ChunksArrived) event).chunks();
    }

    @Test
    @Tag("CKP-7")
    void controlGoesBeforeDataAndEachInItsOrder() throws Exception {
        var mailbox = mailbox(100, 1000, 100, 1000);
        var chunk = chunk(1);
        mailbox.offer(List.of(chunk));
        mailbox.tell(new ShardEvent.DrainBy(1));
        mailbox.tell(PRESSURE);
        assertThat(mailbox.take(true, NanoClock.NEVER)).isEqualTo(new ShardEvent.DrainBy(1));
        assertThat(mailbox.take(true, NanoClock.NEVER)).isEqualTo(PRESSURE);
        assertThat(chunksOf(mailbox.take(true, NanoClock.NEVER))).containsExactly(chunk);
    }

    @Test
    @Tag("CKP-7")
    void controlIsNeverRefused() throws Exception {
        var mailbox = mailbox(1, 1, 1, 1);
        mailbox.offer(List.of(chunk(5)));
        mailbox.close();
        for (var i = 0; i < 10_000; i++) mailbox.tell(new ShardEvent.DrainBy(i));
        for (var i = 0; i < 10_000; i++)
            assertThat(mailbox.take(true, NanoClock.NEVER)).isEqualTo(new ShardEvent.DrainBy(i));
    }

    @Test
    @Tag("SEAL-5")
    void chunksStayWhereTheyAreWhileTheMachineWantsNone() throws Exception {
        var mailbox = mailbox(100, 1000, 100, 1000);
        mailbox.offer(List.of(chunk(1)));
        assertThat(mailbox.take(false, 1000)).isEqualTo(TICK);
        assertThat(chunksOf(mailbox.take(true, 1000))).hasSize(1);
    }

    @Test
    @Tag("ADM-1")
    void theDataLaneIsBoundedInRowsAndPassedByOneHandOverAtMost() {
        var mailbox = mailbox(10, 1_000_000, 10, 1_000_000);
        assertThat(mailbox.offer(List.of(chunk(4), chunk(5)))).isTrue();
        assertThat(mailbox.hasRoom()).isTrue();
        assertThat(mailbox.offer(List.of(chunk(7), chunk(7)))).isTrue();
        assertThat(mailbox.hasRoom()).isFalse();
        assertThat(mailbox.offer(List.of(chunk(1)))).isFalse();
    }

    @Test
    @Tag("ADM-1")
    void theDataLaneIsBoundedInBytes() throws Exception {
        var mailbox = mailbox(1_000_000, 100, 1_000_000, 100);
        assertThat(mailbox.offer(List.of(chunk(10)))).isTrue();
        assertThat(mailbox.offer(List.of(chunk(1)))).isFalse();
        mailbox.take(true, NanoClock.NEVER);
        assertThat(mailbox.hasRoom()).isTrue();
        assertThat(mailbox.offer(List.of(chunk(1)))).isTrue();
    }

    @Test
    @Tag("SEAL-9")
    void aTakeGivesABacklogInSlicesOfABatchAndTheRestKeepsItsPlace() throws Exception {
        var mailbox = mailbox(1000, 1_000_000, 10, 1_000_000);
        var chunks = IntStream.range(0, 9).mapToObj(_ -> chunk(4)).toList();
        mailbox.offer(chunks);
        assertThat(chunksOf(mailbox.take(true, NanoClock.NEVER))).isEqualTo(chunks.subList(0, 3));
        assertThat(chunksOf(mailbox.take(true, NanoClock.NEVER))).isEqualTo(chunks.subList(3, 6));
        mailbox.tell(PRESSURE);
        assertThat(mailbox.take(true, NanoClock.NEVER)).isEqualTo(PRESSURE);
        assertThat(chunksOf(mailbox.take(true, NanoClock.NEVER))).isEqualTo(chunks.subList(6, 9));
    }

    @Test
    @Tag("SEAL-3")
    void aDeadlineThatIsNowOrPastTicksAtOnce() throws Exception {
        var mailbox = mailbox(10, 1000, 10, 1000);
        assertThat(mailbox.take(true, 1000)).isEqualTo(TICK);
        assertThat(mailbox.take(true, 999)).isEqualTo(TICK);
        now.set(Long.MIN_VALUE + 5);
        assertThat(mailbox.take(true, Long.MAX_VALUE - 5))
                .as("the clock wrapped past it")
                .isEqualTo(TICK);
    }

    @Test
    @Tag("SEAL-3")
    void itWakesForANewsBeforeItsDeadline() throws Exception {
        var mailbox = mailbox(10, 1000, 10, 1000);
        var taken = taking(mailbox, now.get() + TimeUnit.DAYS.toNanos(1));
        mailbox.tell(PRESSURE);
        assertThat(taken.get(30, TimeUnit.SECONDS)).isEqualTo(PRESSURE);
        var more = taking(mailbox, NanoClock.NEVER);
        var chunk = chunk(1);
        mailbox.offer(List.of(chunk));
        assertThat(chunksOf(more.get(30, TimeUnit.SECONDS))).containsExactly(chunk);
        var last = taking(mailbox, NanoClock.NEVER);
        mailbox.closeInput();
        assertThat(last.get(30, TimeUnit.SECONDS)).isInstanceOf(ShardEvent.InputClosed.class);
    }

    @Test
    @Tag("SEAL-3")
    void itTicksWhenTheTimeHasComeAndNotBefore() throws Exception {
        var mailbox = new Mailbox(new Mailbox.Bounds(10, 1000, 10, 1000), NanoClock.SYSTEM);
        for (var i = 0; i < 20; i++) {
            var until = System.nanoTime() + 1_000_000;
            assertThat(mailbox.take(true, until)).isEqualTo(TICK);
            assertThat(System.nanoTime() - until).isNotNegative();
        }
    }

    @Test
    @Tag("DRN-12")
    void theEndOfTheInputIsToldOnceAfterTheLastChunk() throws Exception {
        var mailbox = mailbox(100, 1000, 100, 1000);
        mailbox.offer(List.of(chunk(1)));
        mailbox.closeInput();
        assertThat(mailbox.hasRoom()).isFalse();
        assertThat(mailbox.offer(List.of(chunk(1)))).isFalse();
        assertThat(mailbox.take(false, 1000)).as("a chunk is in it still").isEqualTo(TICK);
        assertThat(chunksOf(mailbox.take(true, NanoClock.NEVER))).hasSize(1);
        assertThat(mailbox.take(false, NanoClock.NEVER)).isInstanceOf(ShardEvent.InputClosed.class);
        mailbox.closeInput();
        assertThat(mailbox.take(true, 1000)).isEqualTo(TICK);
    }

    @Test
    @Tag("CKP-3")
    void closingGivesBackWhatIsInIt() {
        var mailbox = mailbox(100, 1000, 100, 1000);
        var chunks = List.of(chunk(1), chunk(2));
        mailbox.offer(chunks);
        assertThat(mailbox.close()).isEqualTo(chunks);
        assertThat(mailbox.close()).isEmpty();
        assertThat(mailbox.offer(List.of(chunk(1)))).isFalse();
    }

    @Test
    @Tag("CKP-6")
    void whatIsWithdrawnMakesRoom() throws Exception {
        var mailbox = mailbox(10, 1000, 100, 1000);
        var stays = chunk(3);
        var goes = chunk(7);
        mailbox.offer(List.of(stays, goes));
        assertThat(mailbox.hasRoom()).isFalse();
        assertThat(mailbox.withdraw(chunk -> chunk.rows() == 7)).containsExactly(goes);
        assertThat(mailbox.hasRoom()).isTrue();
        assertThat(mailbox.withdraw(chunk -> chunk.rows() == 7)).isEmpty();
        assertThat(chunksOf(mailbox.take(true, NanoClock.NEVER))).containsExactly(stays);
    }

    @Test
    @Tag("CKP-7")
    void manyTellersAndOfferersLoseNothing() throws Exception {
        var mailbox = mailbox(1_000_000, 100_000_000, 7, 1_000_000);
        var chunks = IntStream.range(0, 2000).mapToObj(_ -> chunk(1)).toList();
        var tellers = IntStream.range(0, 4)
                .mapToObj(teller -> CompletableFuture.runAsync(() -> {
                    for (var i = teller; i < 2000; i += 4) {
                        mailbox.offer(List.of(chunks.get(i)));
                        mailbox.tell(new ShardEvent.DrainBy(i));
                    }
                }))
                .toList();
        var rows = new ArrayList<EncodedChunk>();
        var told = new ArrayList<Long>();
        while (rows.size() < 2000 || told.size() < 2000) {
            switch (taking(mailbox, NanoClock.NEVER).get(30, TimeUnit.SECONDS)) {
                case ShardEvent.ChunksArrived(var some) -> rows.addAll(some);
                case ShardEvent.DrainBy(var i) -> told.add(i);
                default -> throw new AssertionError("something else");
            }
        }
        for (var teller : tellers) teller.get(30, TimeUnit.SECONDS);
        assertThat(rows).containsExactlyInAnyOrderElementsOf(chunks);
        assertThat(told).doesNotHaveDuplicates();
    }

    private static CompletableFuture<ShardEvent> taking(Mailbox mailbox, long untilNanos) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return mailbox.take(true, untilNanos);
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        });
    }
}
