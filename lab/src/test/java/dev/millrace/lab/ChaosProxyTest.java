package dev.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ChaosProxyTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private LineServer server;
    private ChaosProxy proxy;

    @BeforeEach
    void launch() throws IOException {
        server = new LineServer();
        proxy = ChaosProxy.launch("127.0.0.1", server.port());
    }

    @AfterEach
    void close() throws IOException {
        proxy.close();
        server.close();
    }

    @Test
    void withoutAFaultBytesPassBothWaysAndAreCounted() throws Exception {
        try (var client = new LineClient(proxy)) {
            assertThat(client.ask("one")).isEqualTo("done one");
            assertThat(client.ask("two")).isEqualTo("done two");
        }
        assertThat(proxy.await(t -> t.downBytes() == 18, LIMIT)).isTrue();
        assertThat(proxy.traffic()).isEqualTo(new Traffic(1, 8, 18, 0, 0, 0));
    }

    @Test
    void theEndOfOneDirectionPassesAndTheOtherGoesOn() throws Exception {
        try (var client = new LineClient(proxy)) {
            client.send("last\n");
            client.endOutput();

            assertThat(client.readLine()).isEqualTo("done last");
            assertThat(client.readByte()).isEqualTo(-1);
        }
    }

    @Test
    void refuseResetsConnectionsAndRefusesNewOnesUntilItHealsOnTheSamePort() throws Exception {
        try (var client = new LineClient(proxy)) {
            client.ask("before");
            int port = proxy.port();

            proxy.refuse();

            assertThatThrownBy(client::readByte).isInstanceOf(SocketException.class);
            assertThatThrownBy(() -> new LineClient(proxy)).isInstanceOf(ConnectException.class);
            proxy.heal();
            assertThat(proxy.port()).isEqualTo(port);
        }
        try (var client = new LineClient(proxy)) {
            assertThat(client.ask("after")).isEqualTo("done after");
        }
    }

    @Test
    void aBlackHoleHangsOldAndNewConnectionsAndAllGoOnAfterIt() throws Exception {
        try (var old = new LineClient(proxy)) {
            old.ask("before");
            server.next();
            proxy.blackHole();
            try (var fresh = new LineClient(proxy)) {
                old.send("old\n");
                fresh.send("fresh\n");

                assertThat(old.hangs()).isTrue();
                assertThat(fresh.hangs()).isTrue();
                assertThat(server.gotNothing()).isTrue();

                proxy.heal();
                assertThat(old.readLine()).isEqualTo("done old");
                assertThat(fresh.readLine()).isEqualTo("done fresh");
            }
        }
    }

    @Test
    void aBlackHoleSwallowsTheEndOfAConnection() throws Exception {
        try (var client = new LineClient(proxy)) {
            client.ask("before");
            server.next();
            proxy.blackHole();
        }
        // Only a silence can be seen here: the server still believes in the connection.
        assertThat(proxy.await(t -> t.upBytes() > 7, Duration.ofMillis(100))).isFalse();
        assertThat(server.gotNothing()).isTrue();

        proxy.heal();
        assertThat(server.next()).isEqualTo(LineServer.END);
    }

    @Test
    void aDelayHoldsEveryBlockBothWays() throws Exception {
        proxy.delay(Duration.ofMillis(30), Duration.ofMillis(10), 7);
        try (var client = new LineClient(proxy)) {
            long began = System.nanoTime();

            assertThat(client.ask("late")).isEqualTo("done late");

            assertThat(System.nanoTime() - began)
                    .isGreaterThanOrEqualTo(Duration.ofMillis(60).toNanos());
        }
    }

    @Test
    void aDelayThatEndsLetsItsBlockPassAtOnce() throws Exception {
        proxy.delay(Duration.ofDays(1), Duration.ZERO, 7);
        try (var client = new LineClient(proxy)) {
            client.send("late\n");
            assertThat(client.hangs()).isTrue();

            proxy.heal();

            assertThat(client.readLine()).isEqualTo("done late");
        }
    }

    @Test
    void aSlowDripPassesNoMoreThanItsBytesASecond() throws Exception {
        proxy.slowDrip(1_000);
        try (var client = new LineClient(proxy)) {
            long began = System.nanoTime();

            String line = "x".repeat(99);
            assertThat(client.ask(line)).isEqualTo("done " + line);

            assertThat(System.nanoTime() - began)
                    .isGreaterThanOrEqualTo(Duration.ofMillis(200).toNanos());
        }
    }

    @Test
    void cutAfterUpPassesExactlySoManyBytesToTheServer() throws Exception {
        try (var client = new LineClient(proxy)) {
            client.ask("before");
            server.next();
            proxy.cutAfterUp(9);

            client.send("first\nsecond\n");

            assertThat(server.next()).isEqualTo("first");
            assertThatThrownBy(() -> {
                        client.readLine();
                        client.readByte();
                    })
                    .isInstanceOf(SocketException.class);
            assertThat(proxy.traffic().cut()).isEqualTo(1);
            assertThat(proxy.traffic().upBytes()).isEqualTo(7 + 9);
        }
    }

    @Test
    void cutAfterDownPassesExactlySoManyBytesToTheClient() throws Exception {
        proxy.cutAfterDown(4);
        try (var client = new LineClient(proxy)) {
            client.send("first\n");

            assertThat(server.next()).isEqualTo("first");
            assertThatThrownBy(client::readLine).isInstanceOf(SocketException.class);
            assertThat(proxy.traffic().downBytes()).isEqualTo(4);
            assertThat(proxy.traffic().cut()).isEqualTo(1);
        }
    }

    @Test
    void everyConnectionIsCutAfterItsOwnBytes() throws Exception {
        proxy.cutAfterUp(0);
        for (int i = 1; i <= 3; i++) {
            try (var client = new LineClient(proxy)) {
                client.send("x\n");
                assertThatThrownBy(client::readByte).isInstanceOf(SocketException.class);
                assertThat(proxy.traffic().cut()).isEqualTo(i);
            }
        }
        assertThat(server.next()).isEqualTo(LineServer.END);
    }

    @Test
    void aDroppedAnswerIsOfARequestTheServerGotWhole() throws Exception {
        try (var client = new LineClient(proxy)) {
            proxy.dropAnswer(Cue.ANY);
            client.send("kept by the server\n");

            assertThatThrownBy(client::readByte).isInstanceOf(SocketException.class);
            assertThat(server.next()).isEqualTo("kept by the server");
            assertThat(proxy.traffic().dropped()).isEqualTo(1);
        }
        try (var client = new LineClient(proxy)) {
            assertThat(client.ask("again")).isEqualTo("done again");
        }
    }

    @Test
    void aCueInTheRequestLeavesOtherAnswersAlone() throws Exception {
        proxy.dropAnswers(Cue.inRequest("commit"));
        for (int i = 1; i <= 2; i++) {
            try (var client = new LineClient(proxy)) {
                assertThat(client.ask("write")).isEqualTo("done write");
                client.send("com");
                client.send("mit\n");
                assertThatThrownBy(client::readByte).isInstanceOf(SocketException.class);
                assertThat(proxy.traffic().dropped()).isEqualTo(i);
            }
        }
    }

    @Test
    void aCueInTheAnswerLeavesOtherAnswersAlone() throws Exception {
        proxy.dropAnswer(Cue.inAnswer("done commit"));
        try (var client = new LineClient(proxy)) {
            assertThat(client.ask("write")).isEqualTo("done write");
            client.send("commit\n");
            assertThatThrownBy(client::readByte).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void heldAnswersArriveWhenReleased() throws Exception {
        try (var one = new LineClient(proxy);
                var two = new LineClient(proxy)) {
            proxy.holdAnswers(Cue.ANY);
            one.send("one\n");
            two.send("two\n");

            assertThat(proxy.await(t -> t.held() == 2, LIMIT)).isTrue();
            assertThat(one.hangs()).isTrue();

            proxy.releaseAnswers();
            assertThat(one.readLine()).isEqualTo("done one");
            assertThat(two.readLine()).isEqualTo("done two");
            assertThat(proxy.await(t -> t.held() == 0, LIMIT)).isTrue();
        }
    }

    @Test
    void heldAnswersAreLostWhenItRefuses() throws Exception {
        try (var client = new LineClient(proxy)) {
            proxy.holdAnswers(Cue.inRequest("commit"));
            client.send("commit\n");
            assertThat(proxy.await(t -> t.held() == 1, LIMIT)).isTrue();

            proxy.refuse();

            assertThat(server.next()).isEqualTo("commit");
            assertThatThrownBy(client::readByte).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void releasingAnswersEndsNoOtherFault() throws Exception {
        proxy.refuse();
        proxy.releaseAnswers();

        assertThatThrownBy(() -> new LineClient(proxy)).isInstanceOf(ConnectException.class);
    }

    @Test
    void aNewTargetIsForNewConnections() throws Exception {
        try (var other = new LineServer();
                var old = new LineClient(proxy)) {
            old.ask("old");
            assertThat(server.next()).isEqualTo("old");

            proxy.target("127.0.0.1", other.port());

            try (var fresh = new LineClient(proxy)) {
                fresh.ask("fresh");
                assertThat(other.next()).isEqualTo("fresh");
            }
            old.ask("still");
            assertThat(server.next()).isEqualTo("still");
        }
    }

    @Test
    void aServerThatIsNotThereResetsTheClient() throws Exception {
        proxy.target("127.0.0.1", FreePort.take());
        try (var client = new LineClient(proxy)) {
            assertThatThrownBy(client::readByte).isInstanceOf(SocketException.class);
        }
    }

    @Test
    void closingEndsEveryConnectionUnderEveryFault() throws Exception {
        try (var hung = new LineClient(proxy);
                var held = new LineClient(proxy)) {
            held.ask("before");
            proxy.holdAnswers(Cue.ANY);
            held.send("held\n");
            assertThat(proxy.await(t -> t.held() == 1, LIMIT)).isTrue();
            proxy.blackHole();
            hung.send("hung\n");

            proxy.close();

            assertThatThrownBy(hung::readByte).isInstanceOf(SocketException.class);
            assertThatThrownBy(held::readByte).isInstanceOf(SocketException.class);
            assertThatThrownBy(() -> new LineClient(proxy)).isInstanceOf(ConnectException.class);
            assertThatThrownBy(proxy::heal).isInstanceOf(IllegalStateException.class);
        }
    }
}
