package dev.millrace.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.Sink;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.TokenLog;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// What every sink is held to, whatever it writes to: what the pool takes for granted of an encoder and a writer.
///
/// A sink's test extends it, and says where its rows come to stand. Each test gets a new instance of it, so it makes
/// its sink and an empty store in `@BeforeEach`, and ends both in `@AfterEach`. What only this sink does (each answer
/// of its store, a socket that is cut) is for tests of its own.
///
/// Thread ownership: the test's thread.
public abstract class SinkContract {
    private static final int WRITES_AT_ONCE = 8;
    private static final int ROWS_OF_ONE = 50;

    /// The sink under test. It has the shard of [#shard], with a replica at [#endpoint].
    protected abstract Sink sink();

    protected abstract ShardId shard();

    /// Where a replica takes rows.
    protected abstract URI endpoint();

    /// Where no replica is.
    protected abstract URI gone();

    /// The values of the rows that the store has now, in the order in which it has them; as [#value] made them.
    protected abstract List<String> stored() throws Exception;

    /// The value of a good row. Values of two numbers differ.
    protected String value(int number) {
        return "{\"id\":" + number + ",\"name\":\"n" + number + "\"}";
    }

    private List<String> values(int from, int to) {
        return IntStream.range(from, to).mapToObj(this::value).toList();
    }

    private BatchRows rows(int from, int to) {
        return ContractRows.of(sink().encoder(), values(from, to));
    }

    private static void writtenWhole(WriteOutcome outcome, int rows, boolean counts) {
        var written = assertInstanceOf(Written.class, outcome);
        if (counts) assertEquals(rows, written.accepted() + written.duplicate(), "rows in the receipt");
    }

    private void writtenWhole(WriteOutcome outcome, int rows) {
        writtenWhole(outcome, rows, sink().traits().countsRows());
    }

    @Test
    void aBatchIsStoredWholeAndInItsOrder() throws Exception {
        try (var writer = sink().writer(shard(), endpoint())) {
            writtenWhole(writer.write(ContractCall.of(shard(), rows(0, 100), "a")), 100);
            writtenWhole(writer.write(ContractCall.of(shard(), rows(100, 130), "b")), 30);
        }
        assertEquals(values(0, 130), stored());
    }

    @Test
    void aPartOfABatchIsThatPartAlone() throws Exception {
        try (var writer = sink().writer(shard(), endpoint())) {
            var call = ContractCall.of(shard(), rows(0, 10), "a");
            writtenWhole(writer.write(call.part(3, 7)), 4);
        }
        assertEquals(values(3, 7), stored());
    }

    @Test
    void aWriterChangesNoByteOfTheRows() throws Exception {
        var rows = rows(0, 20);
        var before = ContractRows.bytes(rows);
        try (var writer = sink().writer(shard(), endpoint())) {
            writtenWhole(writer.write(ContractCall.of(shard(), rows, "a")), 20);
        }
        assertArrayEquals(before, ContractRows.bytes(rows), "the bytes of the batch");
    }

    /// As far as the sink says that it knows tokens. One that knows none may store a repeat again.
    @Test
    void aRepeatIsStoredOnceWhereTheSinkKnowsTokens() throws Exception {
        var knows = sink().recognition(shard()).log() != TokenLog.NONE;
        try (var writer = sink().writer(shard(), endpoint())) {
            var call = ContractCall.of(shard(), rows(0, 5), "a");
            writtenWhole(writer.write(call), 5);
            writtenWhole(writer.write(call.again()), 5);
            writtenWhole(writer.write(ContractCall.of(shard(), rows(5, 6), "b")), 1);
        }
        var stored = stored();
        if (knows) assertEquals(values(0, 6), stored);
        else assertTrue(stored.containsAll(values(0, 6)), "every row is there: " + stored);
    }

    @Test
    void aReplicaThatIsNotThereHasNothingAndTheWriterSaysSo() throws Exception {
        try (var writer = sink().writer(shard(), gone())) {
            var outcome = writer.write(ContractCall.of(shard(), rows(0, 3), "a"));
            assertFalse(outcome instanceof Written, outcome + ": nobody was there to store it");
            assertFalse(ContractCall.mayHaveStored(outcome), outcome + ": nothing can have been stored");
            assertFalse(writer.ping(ContractCall.of(shard(), rows(0, 1), "-")) instanceof Written, "a ping of nobody");
        }
        assertEquals(List.of(), stored());
    }

    @Test
    void aPingStoresNothing() throws Exception {
        try (var writer = sink().writer(shard(), endpoint())) {
            assertEquals(new Written(0, 0), writer.ping(ContractCall.of(shard(), rows(0, 1), "-")));
        }
        assertEquals(List.of(), stored());
    }

    /// It may have been in time all the same. What it says has to be so.
    @Test
    void anAttemptThatWasOverBeforeItBeganSaysWhatBecameOfItsRows() throws Exception {
        WriteOutcome outcome;
        try (var writer = sink().writer(shard(), endpoint())) {
            outcome = outcome(writer, ContractCall.of(shard(), rows(0, 3), "a").over());
        }
        if (outcome instanceof Written) assertEquals(values(0, 3), stored());
        else if (!ContractCall.mayHaveStored(outcome)) assertEquals(List.of(), stored(), outcome.toString());
    }

    /// What a writer throws is taken for unavailable, and for perhaps stored.
    private static WriteOutcome outcome(SinkWriter writer, ContractCall call) {
        try {
            return writer.write(call);
        } catch (Exception thrown) {
            return ContractCall.threw(thrown);
        }
    }

    @Test
    void attemptsAtTheSameTimeDoNotMix() throws Exception {
        try (var writer = sink().writer(shard(), endpoint());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var writes = new ArrayList<Future<WriteOutcome>>();
            for (var i = 0; i < WRITES_AT_ONCE; i++) {
                var call = ContractCall.of(shard(), rows(i * ROWS_OF_ONE, (i + 1) * ROWS_OF_ONE), "t" + i);
                writes.add(threads.submit(() -> writer.write(call)));
            }
            for (var write : writes) writtenWhole(write.get(), ROWS_OF_ONE);
        }
        var stored = stored();
        assertEquals(
                values(0, WRITES_AT_ONCE * ROWS_OF_ONE).stream().sorted().toList(),
                stored.stream().sorted().toList());
        for (var i = 0; i < WRITES_AT_ONCE; i++) {
            var own = values(i * ROWS_OF_ONE, (i + 1) * ROWS_OF_ONE);
            assertEquals(own, stored.stream().filter(own::contains).toList(), "the order within one batch");
        }
    }

    @Test
    void anEncoderTakesAnyValueAndMakesTheSameRowOfItAgain() {
        var encoder = sink().encoder();
        var another = sink().encoder();
        assertEquals(
                ContractRows.encoded(encoder, null).encoded(),
                ContractRows.encoded(another, null).encoded());
        for (var value : oddValues()) {
            var first = ContractRows.encoded(encoder, value);
            var second = ContractRows.encoded(another, value);
            assertEquals(first.encoded(), second.encoded());
            assertArrayEquals(first.row(), second.row(), "the same record gives the same bytes");
            if (!(first.encoded() instanceof Encoded.Written)) assertEquals(0, first.row().length, "no row, no byte");
        }
    }

    private List<byte[]> oddValues() {
        var values = new ArrayList<byte[]>();
        for (var text : List.of("", "{}", "[]", "null", "\n", "{\"id\":", "a\nb", "\0", "é\ud83d\ude00", value(1)))
            values.add(text.getBytes(StandardCharsets.UTF_8));
        var chance = new SplittableRandom(1);
        for (var length = 1; length <= 1 << 16; length *= 4) {
            var bytes = new byte[length];
            chance.nextBytes(bytes);
            values.add(bytes);
        }
        return values;
    }
}
