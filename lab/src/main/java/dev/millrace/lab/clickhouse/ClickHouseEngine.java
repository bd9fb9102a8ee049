package dev.millrace.lab.clickhouse;

import dev.millrace.lab.ChildJvm;
import dev.millrace.lab.Directories;
import dev.millrace.lab.LabException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/// A ClickHouse engine in a JVM of its own, which may be killed.
///
/// It takes some 300 MB, and no more than a given bound for all its statements together; its merges and reads
/// run on two threads. Nothing listens on a port: fronts reach it through a socket in its directory.
///
/// Invariant: its data stays the same from the first start to the close, tokens of inserts included. What it has
/// answered survives [#kill].
///
/// Thread ownership: any thread; starting and ending wait for each other.
public final class ClickHouseEngine implements AutoCloseable {
    /// Enough for inserts of half a million small rows.
    public static final int USUAL_MEMORY_MEGABYTES = 1024;

    private final Path library;
    private final Path directory;
    private final int memoryMegabytes;
    private final EngineLink link;
    private final List<Follower> followers = new CopyOnWriteArrayList<>();

    /// Written under this engine's lock. Read without: a front asks while another thread kills.
    private volatile @Nullable ChildJvm process;

    /// Who stands in front of an engine and must fall and rise with it.
    interface Follower {
        void engineEnded();

        void engineStarted();
    }

    private ClickHouseEngine(Path library, Path directory, int memoryMegabytes) {
        this.library = library;
        this.directory = directory;
        this.memoryMegabytes = memoryMegabytes;
        this.link = new EngineLink(EngineMain.socket(directory));
    }

    public static ClickHouseEngine launch() {
        return launch(USUAL_MEMORY_MEGABYTES);
    }

    /// Starts one with no data. Half a second to two.
    ///
    /// @param memoryMegabytes what its statements may use together; more is refused with code 241
    public static ClickHouseEngine launch(int memoryMegabytes) {
        var engine = new ClickHouseEngine(EngineLibrary.obtain(), EngineDirectories.create(), memoryMegabytes);
        try {
            engine.start();
        } catch (Throwable failure) {
            engine.close();
            throw failure;
        }
        return engine;
    }

    public boolean running() {
        ChildJvm now = process;
        return now != null && now.running();
    }

    /// The system's number of the running child.
    public long pid() {
        ChildJvm now = process;
        if (now == null) throw new IllegalStateException("the engine in " + directory + " does not run");
        return now.pid();
    }

    /// Where its data is.
    public Path directory() {
        return directory;
    }

    /// Starts it again on its data, and its fronts on their ports. Nothing if it runs.
    public synchronized void start() {
        if (running()) return;
        var arguments = new ArrayList<>(List.of(library.toString(), directory.toString()));
        arguments.addAll(EngineArguments.of(EngineMain.data(directory), memoryMegabytes));
        process = ChildJvm.start("engine", flags(), EngineMain.class, arguments, EngineMain.READY);
        followers.forEach(Follower::engineStarted);
    }

    private List<String> flags() {
        return List.of(
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:ErrorFile=" + directory.resolve("hs_err.log"),
                "--enable-native-access=ALL-UNNAMED");
    }

    /// SIGKILL. Its fronts refuse connections, and what was under way is reset, as with a server that dies.
    public synchronized void kill() {
        ChildJvm ending = process;
        if (ending == null) return;
        ending.kill();
        process = null;
        followers.forEach(Follower::engineEnded);
    }

    /// SIGTERM, with the same end for its fronts.
    public synchronized void stop() {
        ChildJvm ending = process;
        if (ending == null) return;
        ending.stop();
        process = null;
        followers.forEach(Follower::engineEnded);
    }

    /// Runs a statement that answers nothing, past the fronts.
    public void execute(String sql) {
        query(sql);
    }

    /// What a statement answers, as tab-separated lines without the last line's end.
    public String query(String sql) {
        return query(sql, Map.of());
    }

    /// The same, with settings for this statement.
    public String query(String sql, Map<String, String> settings) {
        var request = new EngineRequest("", settings, sql, "TabSeparated", false);
        String text = StandardCharsets.UTF_8.decode(output(sql, ask(request))).toString();
        return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    }

    /// The one number a query answers.
    public long queryLong(String sql) {
        return Long.parseLong(query(sql));
    }

    /// How many rows a table holds.
    public long count(String table) {
        return queryLong("SELECT count() FROM " + table);
    }

    private EngineResult ask(EngineRequest request) {
        try {
            return link.ask(request, InputStream.nullInputStream());
        } catch (EngineLink.RowsBroken impossible) {
            throw new LabException("a statement without rows broke at its rows", impossible);
        }
    }

    private ByteBuffer output(String sql, EngineResult result) {
        return switch (result) {
            case EngineResult.Done(var _, var output) -> output;
            case EngineResult.Failed(var text) -> throw new LabException("the engine refuses " + sql + ": " + text);
            case EngineResult.Gone() ->
                throw new LabException("the engine in " + directory + " is not there for " + sql);
        };
    }

    EngineLink link() {
        return link;
    }

    void follow(Follower follower) {
        followers.add(follower);
    }

    void unfollow(Follower follower) {
        followers.remove(follower);
    }

    /// Kills it and deletes its data.
    @Override
    public synchronized void close() {
        try {
            kill();
        } finally {
            Directories.delete(directory);
        }
    }
}
