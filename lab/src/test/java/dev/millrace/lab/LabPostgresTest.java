package dev.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LabPostgresTest {
    private LabPostgres postgres;

    @BeforeAll
    void launch() {
        postgres = LabPostgres.launch();
    }

    @AfterAll
    void close() {
        postgres.close();
    }

    @Test
    void aDatabaseIsEmptyOfTheOthersTables() {
        postgres.createDatabase("one");
        postgres.createDatabase("two");
        postgres.execute("one", "CREATE TABLE t (id int, name text); INSERT INTO t VALUES (1, 'a'), (2, null)");

        assertThat(postgres.count("one", "t")).isEqualTo(2);
        assertThat(postgres.query("one", "SELECT * FROM t ORDER BY id")).containsExactly("1|a", "2|");
        assertThatThrownBy(() -> postgres.count("two", "t")).hasRootCauseInstanceOf(SQLException.class);
    }

    @Test
    void aUserNeedsTheRightPasswordAndAGrant() throws SQLException {
        postgres.createDatabase("guarded");
        postgres.createUser("clerk", "it's secret");
        postgres.execute("guarded", "CREATE TABLE t (id int); GRANT INSERT ON t TO clerk");
        String url = postgres.jdbcUrl("guarded");

        assertThatThrownBy(() -> DriverManager.getConnection(url, "clerk", "wrong"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"));
        try (var connection = DriverManager.getConnection(url, "clerk", "it's secret");
                var statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("INSERT INTO t VALUES (1)")).isEqualTo(1);
            assertThatThrownBy(() -> statement.executeQuery("SELECT * FROM t"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42501"));
        }
    }

    @Test
    void aKilledBackendTakesItsSessionDownAndTheCommittedRowsStay() throws SQLException {
        postgres.createDatabase("crashing");
        postgres.execute("crashing", "CREATE TABLE t (id int); INSERT INTO t VALUES (1)");
        try (var connection = postgres.connect("crashing");
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("INSERT INTO t VALUES (2)");

            assertThat(postgres.killBackends("crashing")).isEqualTo(1);

            assertThatThrownBy(() -> statement.execute("SELECT 1")).isInstanceOf(SQLException.class);
        }
        postgres.awaitRecovery();
        assertThat(postgres.count("crashing", "t")).isEqualTo(1);
    }

    @Test
    void aRestartKeepsThePortAndTheRows() {
        postgres.createDatabase("kept");
        postgres.execute("kept", "CREATE TABLE t (id int); INSERT INTO t VALUES (1)");
        String url = postgres.jdbcUrl("kept");

        postgres.stop();
        assertThat(postgres.running()).isFalse();
        assertThatThrownBy(() -> DriverManager.getConnection(url, postgres.user(), ""))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("08001"));

        postgres.start();
        assertThat(postgres.jdbcUrl("kept")).isEqualTo(url);
        assertThat(postgres.count("kept", "t")).isEqualTo(1);
    }

    @Test
    void aStatementThatFailsIsNamed() {
        assertThatThrownBy(() -> postgres.execute("postgres", "SELECT nothing"))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("SELECT nothing")
                .hasMessageContaining("postgres");
    }
}
