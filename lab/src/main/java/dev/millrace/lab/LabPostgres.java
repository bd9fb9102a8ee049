package dev.millrace.lab;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A PostgreSQL server of this machine's own, from binaries that came with the build: no Docker, no network,
/// root or not.
///
/// Its superuser [#user] needs no password from here. Users made by [#createUser] need theirs. `fsync` is off:
/// what it has committed survives a killed backend and a restart, not a power cut.
///
/// Invariant: its port and its data stay the same from the first start to the close.
///
/// Thread ownership: any thread; starting and stopping wait for each other.
public final class LabPostgres implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration ASK_AGAIN = Duration.ofMillis(20);
    private static final int START_TRIES = 3;
    private static final String SUPERUSER = "postgres";
    private static final String WITH_PASSWORD = "lab_with_password";
    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

    private final Path directory;
    private final Map<String, String> serverSettings;
    private final boolean stopsWithJvm;
    private int port;
    private @Nullable EmbeddedPostgres server;

    private LabPostgres(Path directory, Map<String, String> serverSettings, boolean stopsWithJvm) {
        this.directory = directory;
        this.serverSettings = Map.copyOf(serverSettings);
        this.stopsWithJvm = stopsWithJvm;
    }

    /// Starts one on a free port with an empty temporary data directory. One to two seconds.
    public static LabPostgres launch() {
        return launch(Map.of());
    }

    /// With settings of `postgresql.conf`, such as `max_connections`. Stops with this JVM.
    public static LabPostgres launch(Map<String, String> serverSettings) {
        return launch(serverSettings, true);
    }

    /// With settings of `postgresql.conf`.
    ///
    /// @param stopsWithJvm whether it stops of itself as soon as this JVM begins to end. False where something
    ///     must still be written then, by a drain in a shutdown hook: the caller closes it afterwards, or it
    ///     lives on.
    public static LabPostgres launch(Map<String, String> serverSettings, boolean stopsWithJvm) {
        var postgres = new LabPostgres(Directories.forData("postgres", null), serverSettings, stopsWithJvm);
        try {
            postgres.firstStart();
        } catch (Throwable failure) {
            postgres.close();
            throw failure;
        }
        return postgres;
    }

    public String host() {
        return "127.0.0.1";
    }

    public synchronized int port() {
        return port;
    }

    /// The superuser's name.
    public String user() {
        return SUPERUSER;
    }

    /// Without user or password, so that a test may name either.
    public String jdbcUrl(String database) {
        return "jdbc:postgresql://" + host() + ":" + port() + "/" + checked(database);
    }

    /// As the superuser. The caller closes it.
    public Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(jdbcUrl(database), SUPERUSER, "");
    }

    /// Names are lower case letters, digits and `_`, here and in all that follows.
    public void createDatabase(String database) {
        execute(SUPERUSER, "CREATE DATABASE " + checked(database));
    }

    /// A user who must give this password, and may do nothing until [#execute] grants it.
    public void createUser(String name, String password) {
        String quoted = "'" + password.replace("'", "''") + "'";
        execute(SUPERUSER, "CREATE USER " + checked(name) + " IN ROLE " + WITH_PASSWORD + " PASSWORD " + quoted);
    }

    /// Runs statements, separated by `;`, as the superuser in one implicit transaction.
    public void execute(String database, String sql) {
        try (var connection = connect(database);
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException failure) {
            throw new LabException("in database " + database + ": " + sql, failure);
        }
    }

    /// How many rows a table holds.
    public long count(String database, String table) {
        return queryLong(database, "SELECT count(*) FROM " + table);
    }

    /// The one number a query answers.
    public long queryLong(String database, String sql) {
        List<String> rows = query(database, sql);
        if (rows.size() != 1)
            throw new LabException("in database " + database + ": not one row but " + rows.size() + ": " + sql);
        return Long.parseLong(rows.getFirst());
    }

    /// The rows of a query as text, in the order the server gives them; columns are joined by `|`, a null is
    /// empty.
    public List<String> query(String database, String sql) {
        try (var connection = connect(database);
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            var texts = new ArrayList<String>();
            while (rows.next()) texts.add(text(rows));
            return texts;
        } catch (SQLException failure) {
            throw new LabException("in database " + database + ": " + sql, failure);
        }
    }

    private static String text(ResultSet rows) throws SQLException {
        var columns = new ArrayList<String>();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
            String value = rows.getString(i);
            columns.add(value == null ? "" : value);
        }
        return String.join("|", columns);
    }

    /// Kills every session of a database with SIGKILL and returns how many there were.
    ///
    /// The server then takes the sessions of all databases down and recovers as after a crash. When this
    /// returns it has begun to, and it refuses connections with `57P03` until it is done ([#awaitRecovery]).
    public int killBackends(String database) {
        List<String> pids = query(
                SUPERUSER,
                "SELECT pid FROM pg_stat_activity WHERE datname = '" + checked(database)
                        + "' AND pid <> pg_backend_pid()");
        int killed = 0;
        for (String pid : pids) {
            var process = ProcessHandle.of(Long.parseLong(pid));
            if (process.isEmpty() || !process.get().destroyForcibly()) continue;
            awaitReaped(process.get());
            killed++;
        }
        return killed;
    }

    // Gone from the process table means that the server has seen the death, and with it that it began to recover.
    private static void awaitReaped(ProcessHandle process) {
        try {
            process.onExit().orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
        } catch (CompletionException failure) {
            throw new LabException(
                    "backend " + process.pid() + " was killed and did not end in " + LIMIT.toSeconds() + " s", failure);
        }
    }

    /// Returns when the server takes connections again after [#killBackends].
    public void awaitRecovery() {
        long began = System.nanoTime();
        while (true) {
            try (var _ = connect(SUPERUSER)) {
                return;
            } catch (SQLException refused) {
                if (System.nanoTime() - began > LIMIT.toNanos())
                    throw new LabException(
                            "PostgreSQL on port " + port() + " did not recover in " + LIMIT.toSeconds() + " s",
                            refused);
            }
            // The server tells nobody that it is back: it must be asked.
            LockSupport.parkNanos(ASK_AGAIN.toNanos());
        }
    }

    public synchronized boolean running() {
        return server != null;
    }

    /// Stops it: sessions are cut, open transactions rolled back, the port closed. Nothing if it is stopped.
    public synchronized void stop() {
        if (server == null) return;
        try {
            server.close();
        } catch (IOException failure) {
            throw new UncheckedIOException("PostgreSQL on port " + port + " did not stop", failure);
        }
        server = null;
    }

    /// Starts it again on its port and its data. Nothing if it runs.
    public synchronized void start() {
        if (server != null) return;
        try {
            var builder = EmbeddedPostgres.builder()
                    .setPort(port)
                    .setDataDirectory(directory)
                    .setCleanDataDirectory(false)
                    .setRegisterShutdownHook(stopsWithJvm)
                    .setPGStartupWait(LIMIT)
                    .setServerConfig("listen_addresses", "127.0.0.1")
                    // Off by default here: then a killed backend takes answered commits of the others with it.
                    .setServerConfig("synchronous_commit", "on")
                    .setDataDirectoryCustomizer(LabPostgres::askForPasswords);
            serverSettings.forEach(builder::setServerConfig);
            server = builder.start();
        } catch (IOException failure) {
            throw new UncheckedIOException("PostgreSQL did not start on port " + port + " in " + directory, failure);
        }
    }

    public synchronized void restart() {
        stop();
        start();
    }

    /// Stops it and deletes its data.
    @Override
    public synchronized void close() {
        try {
            stop();
        } finally {
            Directories.delete(directory);
        }
    }

    private synchronized void firstStart() {
        for (int left = START_TRIES; ; left--) {
            port = FreePort.take();
            try {
                start();
                break;
            } catch (RuntimeException failure) {
                if (left == 1)
                    throw new LabException("PostgreSQL did not start on port " + port + " in " + directory, failure);
            }
        }
        execute(SUPERUSER, "CREATE ROLE " + WITH_PASSWORD);
    }

    // The first line that fits decides, and the ones the server was made with trust everybody from here.
    private static void askForPasswords(File data) {
        var rules = data.toPath().resolve("pg_hba.conf");
        String ours = "host all +" + WITH_PASSWORD + " 127.0.0.1/32 scram-sha-256\n";
        try {
            String before = Files.readString(rules, StandardCharsets.UTF_8);
            if (!before.startsWith(ours)) Files.writeString(rules, ours + before, StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot write " + rules, failure);
        }
    }

    private static String checked(String name) {
        if (!NAME.matcher(name).matches())
            throw new IllegalArgumentException("'" + name + "' is not a name of lower case letters, digits and _");
        return name;
    }
}
