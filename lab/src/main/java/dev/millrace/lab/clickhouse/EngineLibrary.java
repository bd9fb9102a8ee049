package dev.millrace.lab.clickhouse;

import dev.millrace.lab.Directories;
import dev.millrace.lab.LabException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// The engine's library: `libchdb.so` of the npm package [#PACKAGE], 566 MB, one version, known by its checksum.
///
/// It is fetched once by the npm that is on the path and kept in `~/.cache/millrace/chdb`, or below
/// `$MILLRACE_CACHE` where that is set. Linux on x86-64 alone has it.
///
/// Thread ownership: any thread and any process; who fetches holds a lock.
public final class EngineLibrary {
    static final String VERSION = "26.7.3-stable.1";
    static final String PACKAGE = "@chdb/lib-linux-x64-gnu@" + VERSION;

    private static final long FILE_BYTES = 566_330_096;
    private static final String FILE_SHA256 = "36ad4e999882821ef13cf2d0f52c93f48e6ee1b4498b35a201c23ce4b8d15bf5";
    private static final String ARCHIVE_SHA256 = "c0d32b129e988f2b9a9a31c9141aecf5e1e2453f9a079efc4d36ab8e3f92b2ad";
    private static final String FILE = "libchdb.so";
    private static final String SCRATCH = "fetch-";
    private static final String NPM = "npm";
    private static final long FETCH_MINUTES = 15;

    private EngineLibrary() {}

    /// Whether the engine can be had here: tests that need it go on if so, and skip if not, after the reason was
    /// said on standard output. Fetches it if it is not there yet.
    ///
    /// @throws LabException where it cannot be had although `CI=true`: there a skip would hide that nothing ran
    @SuppressWarnings("SystemOut") // who reads the build's output sees that nothing ran here
    public static boolean available() {
        return available(cache(), NPM, "true".equals(System.getenv("CI")), System.out::println);
    }

    static boolean available(Path cache, String npm, boolean required, Consumer<String> say) {
        try {
            obtain(cache, npm);
            return true;
        } catch (LabException failure) {
            if (required) throw failure;
            say.accept("SKIPPED: tests with the ClickHouse engine, for it cannot be had here: " + failure.getMessage());
            return false;
        }
    }

    /// Where it is. Fetches it if it is not there yet: 178 MB, 20 seconds on a good line.
    public static Path obtain() {
        return obtain(cache(), NPM);
    }

    static synchronized Path obtain(Path cache, String npm) {
        Path directory = cache.resolve(VERSION);
        Path file = directory.resolve(FILE);
        if (whole(file)) return file;
        refuseOtherMachines();
        try {
            Files.createDirectories(directory);
            try (var lock = FileChannel.open(
                            directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    var _ = lock.lock()) {
                if (!whole(file)) fetch(directory, file, npm);
            }
        } catch (IOException failure) {
            throw new LabException("cannot keep the engine's library in " + directory + ": " + failure, failure);
        }
        return file;
    }

    private static Path cache() {
        String given = System.getenv("MILLRACE_CACHE");
        if (given != null && !given.isEmpty()) return Path.of(given).resolve("chdb");
        return Path.of(System.getProperty("user.home"), ".cache", "millrace", "chdb");
    }

    // It was checked when it came, and moved to its place whole.
    private static boolean whole(Path file) {
        try {
            return Files.isRegularFile(file) && Files.size(file) == FILE_BYTES;
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot look at " + file, failure);
        }
    }

    private static void refuseOtherMachines() {
        String machine = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
        if (!machine.equals("Linux on amd64"))
            throw new LabException("there is a library for Linux on amd64, and this is " + machine);
    }

    private static void fetch(Path directory, Path file, String npm) throws IOException {
        deleteLeftovers(directory);
        Path scratch = Files.createTempDirectory(directory, SCRATCH);
        try {
            // Other settings of npm, such as another registry or a proxy, are those of whoever runs this.
            run(scratch, npm, "pack", "--silent", PACKAGE);
            Path archive = onlyArchive(scratch);
            check(archive, ARCHIVE_SHA256);
            run(scratch, "tar", "-xzf", archive.toString(), "package/" + FILE);
            Path unpacked = scratch.resolve("package").resolve(FILE);
            check(unpacked, FILE_SHA256);
            Files.move(unpacked, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Directories.delete(scratch);
        }
    }

    // Of a process that was killed while it fetched: who holds the lock is alone.
    private static void deleteLeftovers(Path directory) throws IOException {
        try (var left = Files.newDirectoryStream(directory, SCRATCH + "*")) {
            for (Path scratch : left) Directories.delete(scratch);
        }
    }

    private static Path onlyArchive(Path scratch) throws IOException {
        try (var files = Files.newDirectoryStream(scratch, "*.tgz")) {
            for (Path file : files) return file;
        }
        throw new LabException("npm pack " + PACKAGE + " left no archive");
    }

    private static void run(Path directory, String... words) {
        String command = String.join(" ", words);
        Path said = directory.resolve("said");
        try {
            var process = new ProcessBuilder(List.of(words))
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            process.getOutputStream().close();
            awaitEnd(process, command);
            if (process.exitValue() != 0)
                throw new LabException(command + " ended with " + process.exitValue() + ": "
                        + Files.readString(said, StandardCharsets.UTF_8));
        } catch (IOException failure) {
            throw new LabException("cannot run " + command + ": " + failure.getMessage(), failure);
        }
    }

    private static void awaitEnd(Process process, String command) {
        try {
            if (!process.waitFor(FETCH_MINUTES, TimeUnit.MINUTES))
                throw new LabException(command + " took more than " + FETCH_MINUTES + " minutes");
        } catch (InterruptedException failure) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted during " + command, failure);
        } finally {
            process.destroyForcibly();
        }
    }

    private static void check(Path file, String expected) throws IOException {
        String found = sha256(file);
        if (!found.equals(expected))
            throw new LabException(file.getFileName() + " of " + PACKAGE + " has SHA-256 " + found + ", not " + expected
                    + ": it is not what this project was built against");
    }

    private static String sha256(Path file) throws IOException {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            try (var in = new DigestInputStream(Files.newInputStream(file), digest)) {
                in.transferTo(OutputStream.nullOutputStream());
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }
}
