package dev.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// The faults a pipeline meets in earnest, against a server that commits in earnest.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ChaosProxyPostgresTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private LabPostgres postgres;
    private ChaosProxy proxy;

    @BeforeAll
    void launch() {
        postgres = LabPostgres.launch();
        postgres.createDatabase("target");
        postgres.execute("target", "CREATE TABLE t (id int primary key)");
    }

    @AfterAll
    void close() {
        postgres.close();
    }

    @BeforeEach
    void begin() {
        postgres.execute("target", "TRUNCATE t");
        proxy = ChaosProxy.launch(postgres.host(), postgres.port());
    }

    @AfterEach
    void end() {
        proxy.close();
    }

    private Connection connect(String parameters) throws SQLException {
        var url = "jdbc:postgresql://" + proxy.host() + ":" + proxy.port() + "/target?" + parameters;
        return DriverManager.getConnection(url, postgres.user(), "");
    }

    private static void insert(Connection connection, int id) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO t VALUES (" + id + ")");
        }
    }

    private static boolean lostConnection(Throwable failure) {
        return failure instanceof SQLException sql
                && String.valueOf(sql.getSQLState()).startsWith("08");
    }

    @Test
    void refuseLosesTheOpenTransactionAndRefusesTheNext() throws SQLException {
        try (var connection = connect("")) {
            connection.setAutoCommit(false);
            insert(connection, 1);

            proxy.refuse();

            assertThatThrownBy(connection::commit).matches(ChaosProxyPostgresTest::lostConnection);
        }
        assertThatThrownBy(() -> connect("")).matches(ChaosProxyPostgresTest::lostConnection);
        assertThat(postgres.count("target", "t")).isZero();
    }

    @Test
    void aBlackHoleEndsInTheClientsOwnTimeout() throws SQLException {
        try (var connection = connect("socketTimeout=1")) {
            proxy.blackHole();

            assertThatThrownBy(() -> insert(connection, 1)).matches(ChaosProxyPostgresTest::lostConnection);
        }
        assertThatThrownBy(() -> connect("loginTimeout=1")).isInstanceOf(SQLException.class);
    }

    @Test
    void aDroppedAnswerToACommitLeavesItsRowsAndALostConnection() throws SQLException {
        try (var connection = connect("")) {
            connection.setAutoCommit(false);
            for (int id = 1; id <= 6; id++) { // often enough for the driver to send a prepared statement's name only
                insert(connection, id);
                connection.commit();
            }
            insert(connection, 7);
            proxy.dropAnswer(Cue.POSTGRES_COMMITTED);

            assertThatThrownBy(connection::commit).matches(ChaosProxyPostgresTest::lostConnection);
        }
        assertThat(proxy.traffic().dropped()).isEqualTo(1);
        assertThat(postgres.count("target", "t")).isEqualTo(7);
        try (var connection = connect("")) {
            connection.setAutoCommit(false);
            insert(connection, 8);
            connection.commit();
        }
        assertThat(postgres.count("target", "t")).isEqualTo(8);
    }

    @Test
    void aHeldAnswerToACommitIsOfATransactionOthersSee() throws Exception {
        try (var connection = connect("")) {
            connection.setAutoCommit(false);
            proxy.holdAnswers(Cue.POSTGRES_COMMITTED);
            var committed = CompletableFuture.runAsync(() -> {
                try {
                    insert(connection, 1);
                    connection.commit();
                } catch (SQLException failure) {
                    throw new LabException("insert", failure);
                }
            });

            assertThat(proxy.await(t -> t.held() == 1, LIMIT)).isTrue();
            assertThat(postgres.count("target", "t")).isEqualTo(1);
            assertThat(committed).isNotDone();

            proxy.releaseAnswers();
            assertThat(committed).succeedsWithin(LIMIT);
        }
    }
}
