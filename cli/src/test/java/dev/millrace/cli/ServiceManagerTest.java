package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// What a manager hears on a real socket.
@EnabledOnOs(OS.LINUX)
final class ServiceManagerTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @Test
    void aManagerHearsEachStateAsOneMessage(@TempDir Path directory) {
        try (var socket = NotifySocket.listen(directory.resolve("notify").toString(), LIMIT)) {
            var manager = new ServiceManager(socket.name());
            manager.starting("orders");
            assertThat(socket.next()).isEqualTo("STATUS=orders starts: a sink that can't be reached is waited for");
            manager.running("orders");
            assertThat(socket.next()).isEqualTo("READY=1\nSTATUS=orders runs");
            manager.stopping("orders", Duration.ofSeconds(30));
            assertThat(socket.next()).isEqualTo("STOPPING=1\nSTATUS=orders drains\nEXTEND_TIMEOUT_USEC=30000000");
        }
    }

    @Test
    void aManagerThatDoesNotReadHoldsUpNoDrain(@TempDir Path directory) throws IOException {
        var room = Integer.parseInt(
                Files.readString(Path.of("/proc/sys/net/unix/max_dgram_qlen")).strip());
        try (var socket = NotifySocket.listen(directory.resolve("deaf").toString(), LIMIT)) {
            var manager = new ServiceManager(socket.name());
            assertTimeoutPreemptively(LIMIT, () -> {
                for (var i = 0; i < room + 3; i++) manager.stopping("orders", Duration.ofSeconds(30));
            });
            assertThat(socket.next()).startsWith("STOPPING=1\n");
        }
    }

    @Test
    void anAbstractNameIsReachedToo() {
        var name = "@millrace-test-" + ProcessHandle.current().pid();
        try (var socket = NotifySocket.listen(name, LIMIT)) {
            new ServiceManager(name).running("orders");
            assertThat(socket.next()).startsWith("READY=1\n");
        }
    }

    @Test
    void nobodyWhoListensIsNoFault(@TempDir Path directory) {
        for (var name : new String[] {null, "", directory.resolve("nobody").toString(), "/" + "x".repeat(200)})
            assertThatCode(() -> new ServiceManager(name).running("orders"))
                    .as(String.valueOf(name))
                    .doesNotThrowAnyException();
    }
}
