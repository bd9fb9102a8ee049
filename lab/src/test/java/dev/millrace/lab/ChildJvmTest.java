package dev.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class ChildJvmTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /// Answers each line with the line, among others; says why and ends at `end`.
    static final class Echo {
        private Echo() {}

        public static void main(String[] arguments) throws IOException {
            System.out.println("echo ready");
            var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (var line = lines.readLine(); line != null && !line.isEmpty(); line = lines.readLine()) {
                System.out.println("a line of a log");
                if (line.equals("end")) System.exit(7);
                System.out.println(ChildJvm.ANSWER + "you said " + line);
            }
        }
    }

    private static ChildJvm echo() {
        return ChildJvm.start("echo", List.of("-Xmx64m"), Echo.class, List.of(), "echo ready");
    }

    @Test
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    void aChildIsAskedAndAnswersOnceForEachLine() throws Exception {
        var child = echo();
        try {
            assertThat(child.ask("one ü", LIMIT)).isEqualTo("you said one ü");
            assertThat(child.ask("two", LIMIT)).isEqualTo("you said two");
        } finally {
            child.stop();
        }
        assertThat(child.running()).isFalse();
    }

    @Test
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    void aChildThatEndsInsteadOfAnsweringIsToldWithItsLastLines() {
        var child = echo();
        try {
            assertThatThrownBy(() -> child.ask("end", LIMIT))
                    .isInstanceOf(LabException.class)
                    .hasMessageContaining("echo")
                    .hasMessageContaining("a line of a log");
        } finally {
            child.kill();
        }
    }
}
