package dev.millrace.fuzz;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Fuzzes one target for a while with Jazzer, in a process of its own, and keeps in the corpus the fewest inputs that
/// reach all that was reached.
///
/// Works in `target/fuzz/NAME`: `log` has what Jazzer said, and `found` what it goes on from the next time.
final class Jazzer {
    private static final String MAIN = "com.code_intelligence.jazzer.Jazzer";

    /// They tell that an input steers a pattern, a path or an address, which is what a configuration does.
    private static final List<String> WATCHERS = Stream.of(
                    "BigDecimal",
                    "FilePathTraversal",
                    "ReflectiveCall",
                    "RegexInjection",
                    "ServerSideRequestForgery",
                    "SqlInjection")
            .map(name -> "com.code_intelligence.jazzer.sanitizers." + name)
            .toList();

    private static final int FOUND_A_FAULT = 77;
    private static final int LONGEST_INPUT = 2048;
    private static final int SECONDS_PER_INPUT = 10;
    private static final Duration MERGE = Duration.ofMinutes(10);

    private final Class<? extends FuzzTarget> target;
    private final Corpus corpus;
    private final Path work;
    private final Path log;

    Jazzer(Class<? extends FuzzTarget> target, Corpus corpus) {
        this.target = target;
        this.corpus = corpus;
        work = Path.of("target/fuzz", target.getSimpleName()).toAbsolutePath();
        log = work.resolve("log");
    }

    void run(Duration longest) throws Exception {
        var seeds = fresh("seeds", corpus.all());
        var found = Files.createDirectories(work.resolve("found"));
        var exit = jazzer(
                longest.plus(MERGE),
                "-max_total_time=" + longest.toSeconds(),
                "-artifact_prefix=" + Files.createDirectories(work.resolve("faults")) + File.separator,
                found.toString(),
                seeds.toString());
        var said = said();
        said.forEach(System.out::println);
        if (exit == FOUND_A_FAULT) throw fault(said);
        if (exit != 0) throw new AssertionError("Jazzer ended with " + exit + ", see " + log);
        // What somebody wrote stays, and counts as reached.
        var least = fresh("least", corpus.written());
        if (jazzer(MERGE, "-merge=1", least.toString(), found.toString(), seeds.toString()) != 0)
            throw new AssertionError("Jazzer could not merge, see " + log);
        corpus.found(inputs(least));
        System.out.println(
                corpus.file() + " holds " + Corpus.of(corpus.file()).all().size() + " inputs");
    }

    /// The summary, and how far it came.
    private List<String> said() throws IOException {
        var lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
        var last = lines.stream()
                .filter(line -> line.startsWith("#") && line.contains(" cov: "))
                .reduce("", (_, line) -> line);
        var said = new ArrayList<>(List.of(last));
        lines.stream()
                .filter(line -> line.startsWith("stat::") || line.startsWith("artifact_prefix") || line.contains("=="))
                .forEach(said::add);
        return said;
    }

    private AssertionError fault(List<String> said) throws Exception {
        for (var input : inputs(work.resolve("faults"))) {
            var made = Fuzzing.made(target);
            try {
                made.take(input);
            } catch (Throwable shown) {
                return Fuzzing.told(made, said, input, shown);
            }
        }
        return new AssertionError("Jazzer told of a fault that does not show again, see " + log);
    }

    private int jazzer(Duration longest, String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-cp",
                System.getProperty("java.class.path"),
                "-Xmx1g",
                "-XX:+EnableDynamicAgentLoading",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Duser.timezone=UTC",
                "-D" + Entry.TARGET + "=" + target.getName(),
                MAIN,
                "--target_class=" + Entry.class.getName(),
                "--instrumentation_includes=dev.millrace.**",
                "--instrumentation_excludes=dev.millrace.fuzz.**:" + String.join(":", ofTests()),
                "--disabled_hooks=" + String.join(":", WATCHERS),
                "--reproducer_path=" + work,
                "-max_len=" + LONGEST_INPUT,
                "-timeout=" + SECONDS_PER_INPUT,
                "-rss_limit_mb=3000",
                "-print_final_stats=1"));
        command.addAll(List.of(arguments));
        var process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            if (!process.waitFor(longest.toSeconds(), TimeUnit.SECONDS))
                throw new AssertionError("Jazzer does not end, see " + log);
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    /// What holds the promises: only what the product does is to guide.
    private List<String> ofTests() throws IOException {
        var classes = Path.of(
                target.getProtectionDomain().getCodeSource().getLocation().getPath());
        var folder = Path.of(target.getPackageName().replace('.', '/'));
        var sources = Path.of("src/test/java").resolve(folder);
        return files(classes.resolve(folder)).stream()
                .map(file -> file.getFileName().toString())
                .filter(name -> name.endsWith(".class"))
                .map(name -> name.substring(0, name.length() - ".class".length()))
                .filter(name -> Files.exists(sources.resolve(name.split("\\$", -1)[0] + ".java")))
                .map(name -> target.getPackageName() + "." + name)
                .toList();
    }

    /// A directory with these inputs and nothing else.
    private Path fresh(String name, List<byte[]> inputs) throws IOException {
        var directory = Files.createDirectories(work.resolve(name));
        for (var old : files(directory)) Files.delete(old);
        for (var i = 0; i < inputs.size(); i++) Files.write(directory.resolve(Integer.toString(i)), inputs.get(i));
        return directory;
    }

    private static List<byte[]> inputs(Path directory) throws IOException {
        var inputs = new ArrayList<byte[]>();
        for (var file : files(directory)) inputs.add(Files.readAllBytes(file));
        return inputs;
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }
}
