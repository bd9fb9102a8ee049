package dev.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerProcessTest {
    @Test
    void aBrokerThatWasKilledOrStoppedStartsOnItsPortWithAllItAcknowledged() {
        try (var broker = BrokerProcess.launch();
                var topics = new Topics(broker.bootstrapServers())) {
            String before = broker.bootstrapServers();
            topics.create("acked", 2);
            topics.produce("acked", 1, 2_000);

            broker.kill();
            assertThat(broker.running()).isFalse();
            broker.start();

            assertThat(broker.bootstrapServers()).isEqualTo(before);
            assertThat(topics.readAll("acked")).hasSize(2_000);

            topics.produce(Topics.records("acked", 1, 2_000, 10));
            broker.stop();
            broker.start();

            assertThat(broker.bootstrapServers()).isEqualTo(before);
            assertThat(topics.readAll("acked")).hasSize(2_010);
        }
    }

    @Test
    void aBrokerDiesWithTheProcessThatLaunchedIt(@TempDir Path directory) throws Exception {
        var parent = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Parent.class.getName(),
                        directory.toString())
                .redirectErrorStream(true)
                .start();
        try (var said = parent.inputReader()) {
            var line = said.lines().filter(l -> l.startsWith(Parent.PID)).findFirst();
            assertThat(line).isPresent();
            var broker = ProcessHandle.of(Long.parseLong(line.get().substring(Parent.PID.length())));
            assertThat(broker)
                    .hasValueSatisfying(one -> assertThat(one.isAlive()).isTrue());

            parent.destroyForcibly();

            assertThat(broker.get().onExit()).succeedsWithin(Duration.ofSeconds(30));
        } finally {
            parent.destroyForcibly();
        }
    }

    /// A process that launches a broker, says its number, and waits to be killed.
    static final class Parent {
        static final String PID = "broker pid ";

        public static void main(String[] args) throws InterruptedException {
            var settings = BrokerSettings.small().in(Path.of(args[0]));
            System.out.println(PID + BrokerProcess.launch(settings).pid());
            new CountDownLatch(1).await();
        }
    }

    @Test
    void aBrokerThatCannotStartSaysWhy(@TempDir Path directory) throws IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var settings = BrokerSettings.small().in(directory).onPort(taken.getLocalPort());

            assertThatThrownBy(() -> BrokerProcess.launch(settings))
                    .isInstanceOf(LabException.class)
                    .hasMessageContaining("Address already in use");
        }
    }
}
