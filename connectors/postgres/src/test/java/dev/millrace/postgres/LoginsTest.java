package dev.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.millrace.postgres.PostgresSettings.Login;
import dev.millrace.postgres.PostgresSettings.Tls;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LoginsTest {
    @Test
    @Tag("WRT-1")
    @DisplayName("OPS-1: a server that takes connections and says nothing is told as one that does not answer")
    void aLoginThatHangsIsToldAsNoAnswer() throws Exception {
        try (var hangs = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                var timer = Executors.newSingleThreadScheduledExecutor();
                var logins = new Logins(
                        PostgresEndpoint.of(Warehouse.address("127.0.0.1", hangs.getLocalPort(), "shop")),
                        new Login("ingest", Password.of("none"), new Tls.Off()),
                        Duration.ofMillis(100),
                        timer)) {
            var failure = catchThrowableOfType(SQLException.class, () -> logins.open(new Wire()));
            var outcome = new Verdict(Phase.LOGIN, failure, false).outcome("", 0);
            assertThat(outcome.toString())
                    .contains("08001", "no connection (SQLException: no answer within 100 ms, by ");
        }
    }
}
