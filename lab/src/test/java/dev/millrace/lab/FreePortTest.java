package dev.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class FreePortTest {
    /// Says ports, and keeps its mark until its input ends.
    static final class Taker {
        private Taker() {}

        public static void main(String[] arguments) throws IOException {
            System.out.println("taker ready");
            while (System.in.read() >= 0) {
                if (System.in.available() > 0) continue;
                System.out.println(ChildJvm.ANSWER
                        + IntStream.range(0, 200)
                                .mapToObj(_ -> Integer.toString(FreePort.take()))
                                .collect(Collectors.joining(" ")));
            }
        }
    }

    @Test
    @Timeout(60)
    void twoProcessesTakeNoPortOfEachOther() throws Exception {
        var child = ChildJvm.start("taker", List.of("-Xmx64m"), Taker.class, List.of(), "taker ready");
        try {
            var theirs = Arrays.stream(
                            child.ask("ports", Duration.ofSeconds(30)).split(" "))
                    .map(Integer::valueOf)
                    .toList();
            var ours = IntStream.range(0, 200).mapToObj(_ -> FreePort.take()).toList();
            assertThat(theirs).hasSize(200).doesNotHaveDuplicates();
            assertThat(ours).doesNotHaveDuplicates();
            // Each has 1,024 in a row, so no port of one lies among those of the other.
            assertThat(theirs.stream().map(port -> (port - 12_000) / 1_024).distinct())
                    .doesNotContainAnyElementsOf(
                            ours.stream().map(port -> (port - 12_000) / 1_024).toList());
        } finally {
            child.stop();
        }
    }
}
