package dev.millrace.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedPoolTest {
    @TempDir
    private Path folder = Path.of("");

    private static List<Order> orders(long count) {
        return LongStream.range(0, count)
                .mapToObj(number -> new Order(number, "{\"id\":" + number + "}"))
                .toList();
    }

    @Test
    void allRowsAreStoredOnceAndInOrder() throws Exception {
        var file = folder.resolve("orders.ndjson");
        assertThat(EmbeddedPool.store(file, orders(25_000), Duration.ofSeconds(60)))
                .isEqualTo(25_000);
        assertThat(Files.readAllLines(file))
                .isEqualTo(orders(25_000).stream()
                        .map(order -> "{\"id\":" + order.offset() + "}")
                        .toList());
    }

    @Test
    void whatCannotBeStoredInTimeIsNotDone() throws Exception {
        var nowhere = folder.resolve("no-such-folder/orders.ndjson");
        assertThat(EmbeddedPool.store(nowhere, orders(10), Duration.ofMillis(500)))
                .isZero();
    }

    @Test
    void aRowThatIsNoneIsLeftOutAndTheOthersAreStored() throws IOException, InterruptedException {
        var file = folder.resolve("orders.ndjson");
        var rows = List.of(new Order(0, "{\"id\":0}"), new Order(1, "two\nlines"), new Order(2, "{\"id\":2}"));
        assertThat(EmbeddedPool.store(file, rows, Duration.ofSeconds(60))).isEqualTo(3);
        assertThat(Files.readAllLines(file)).containsExactly("{\"id\":0}", "{\"id\":2}");
    }
}
