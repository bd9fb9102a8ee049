package dev.millrace.postgres;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.function.Consumer;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/// Logins as the pool wants them: it asks, and whoever waits is told when one fails.
///
/// Thread ownership: the pool's own threads.
final class LoginSource implements DataSource {
    /// Seconds the pool waits, when it closes, for a login under way. Its wire is cut by then.
    private static final int SECONDS_AT_CLOSE = 1;

    private final Logins logins;
    private final Consumer<SQLException> failed;

    LoginSource(Logins logins, Consumer<SQLException> failed) {
        this.logins = logins;
        this.failed = failed;
    }

    @Override
    public Connection getConnection() throws SQLException {
        try {
            return logins.open(new Wire());
        } catch (SQLException failure) {
            failed.accept(failure);
            throw failure;
        } catch (RuntimeException failure) {
            failed.accept(
                    new SQLException("the login failed: " + failure.getClass().getSimpleName(), failure));
            throw failure;
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the login is the sink's");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        // The driver logs nothing by it.
    }

    @Override
    public void setLoginTimeout(int seconds) {
        // The pool's wish is the settings' connect timeout, which every login has.
    }

    @Override
    public int getLoginTimeout() {
        return SECONDS_AT_CLOSE;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("logs go elsewhere");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("wraps nothing");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
