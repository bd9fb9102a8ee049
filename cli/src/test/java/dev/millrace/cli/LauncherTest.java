package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// The archive's launcher, in an unpacked archive whose Java says how it was called.
@DisabledOnOs(OS.WINDOWS)
final class LauncherTest {
    private static final Path ARCHIVE = Path.of("..", "deploy", "archive");
    private static final String JAVA = """
            #!/bin/sh
            if [ "$1" = -version ]; then
              echo 'openjdk version "25.0.1" 2025-10-21 LTS' >&2
              echo 'OpenJDK Runtime Environment of a test' >&2
              exit
            fi
            for argument; do
              case $argument in -XX:AOTCacheOutput=*) [ -n "$FAILS" ] || echo cache >"${argument#*=}" ;; esac
            done
            echo "pid $$"
            echo "path $CLASSPATH"
            echo "called $*"
            """;

    @TempDir
    Path directory;

    private record Ended(long pid, int code, String said) {}

    @Test
    void itBecomesJavaWithTheJarsInAnOrderThatHoldsEverywhere() throws Exception {
        var ended = start(Map.of("MILLRACE_JAVA_OPTS", "-Xmx1g -Da=b"), "run", "a file.yaml");
        var lib = home().resolve("lib");
        assertThat(ended.said())
                .contains("pid " + ended.pid() + "\n")
                .contains("path " + lib + "/millrace-cli.jar:" + lib + "/B.jar:" + lib + "/a.jar\n")
                .contains(
                        "called --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow -Xms16m"
                                + " -XX:+UseCompactObjectHeaders -XX:G1PeriodicGCInterval=30000"
                                + " -XX:TrimNativeHeapInterval=10000 -Xlog:trimnative=off"
                                + " -Djdk.serialFilter=!* -XX:-CreateCoredumpOnCrash -Xmx1g -Da=b dev.millrace.cli.Main run a file.yaml\n");
        assertThat(ended.code()).isZero();
    }

    @Test
    void whatTrainMadeIsUsedFromThenOn() throws Exception {
        var trained = start(Map.of(), "--train");
        assertThat(trained.code()).as(trained.said()).isZero();
        var cache = home().resolve("lib/millrace.aot");
        assertThat(trained.said()).contains("made " + cache + " for OpenJDK Runtime Environment of a test");
        assertThat(start(Map.of(), "version").said()).contains(" -XX:AOTCache=" + cache + " ");
    }

    @Test
    void aTrainingThatFailsKeepsTheCacheThatIsThereAndSaysWhereToLook() throws Exception {
        start(Map.of(), "--train");
        var failed = start(Map.of("FAILS", "yes"), "--train");
        assertThat(failed.code()).isEqualTo(1);
        assertThat(failed.said()).contains("no AOT cache was made").contains("lib/training.log says why");
        assertThat(home().resolve("lib/millrace.aot")).hasContent("cache");
        try (var left = Files.list(home().resolve("lib"))) {
            assertThat(left.filter(file -> file.getFileName().toString().contains(".aot.")))
                    .isEmpty();
        }
    }

    @Test
    void anotherJavaIsNotTaken() throws Exception {
        unpack();
        var java = directory.resolve("jdk/bin/java");
        Files.writeString(java, Files.readString(java).replace("25.0.1", "21.0.1"));
        // Found by its folder, another one of this machine may be: what counts is that this one is not.
        assertThat(run(Map.of(), "version").said()).doesNotContain("called");
    }

    private Path home() throws IOException {
        return directory.toRealPath().resolve("home");
    }

    private void unpack() throws IOException {
        if (Files.exists(home())) return;
        var executable = PosixFilePermissions.fromString("rwxr-xr-x");
        Files.createDirectories(home().resolve("bin"));
        Files.createDirectories(home().resolve("lib"));
        Files.createDirectories(directory.resolve("jdk/bin"));
        Files.copy(ARCHIVE.resolve("launch.sh"), home().resolve("lib/launch.sh"));
        Files.setPosixFilePermissions(
                Files.copy(ARCHIVE.resolve("millrace"), home().resolve("bin/millrace")), executable);
        for (var jar : List.of("a.jar", "millrace-cli.jar", "B.jar"))
            Files.writeString(home().resolve("lib").resolve(jar), "no classes");
        Files.setPosixFilePermissions(Files.writeString(directory.resolve("jdk/bin/java"), JAVA), executable);
    }

    private Ended start(Map<String, String> environment, String... arguments) throws Exception {
        unpack();
        return run(environment, arguments);
    }

    private Ended run(Map<String, String> environment, String... arguments) throws Exception {
        var command = new ArrayList<>(List.of(home().resolve("bin/millrace").toString()));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().remove("MILLRACE_JAVA_OPTS");
        builder.environment().put("JAVA_HOME", directory.resolve("jdk").toString());
        builder.environment().putAll(environment);
        var process = builder.start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return new Ended(process.pid(), process.exitValue(), said);
    }
}
