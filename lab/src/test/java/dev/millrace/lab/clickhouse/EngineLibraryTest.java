package dev.millrace.lab.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.lab.LabException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineLibraryTest {
    @TempDir
    private Path directory;

    @Test
    void whereItCannotBeHadTestsFailInCiAndSkipElsewhere() {
        Path cache = directory.resolve("cache");
        String nothing = directory.resolve("no-npm").toString();

        var said = new ArrayList<String>();

        assertThat(EngineLibrary.available(cache, nothing, false, said::add)).isFalse();
        assertThat(said).singleElement().asString().startsWith("SKIPPED: ");
        assertThatThrownBy(() -> EngineLibrary.available(cache, nothing, true, said::add))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("cannot run " + nothing + " pack --silent " + EngineLibrary.PACKAGE);
    }

    @Test
    void anArchiveWithAnotherChecksumIsNotUsedAndNotKept() throws Exception {
        Path cache = directory.resolve("cache");

        assertThatThrownBy(() -> EngineLibrary.obtain(cache, npm("echo something else > chdb.tgz")))
                .hasMessageContaining("chdb.tgz of " + EngineLibrary.PACKAGE + " has SHA-256 ");
        assertThat(cache.resolve(EngineLibrary.VERSION)).isDirectoryNotContaining("glob:**fetch-*");
    }

    @Test
    void whatNpmSaysIsToldAndWhatAKilledFetchLeftIsDeleted() throws Exception {
        Path cache = directory.resolve("cache");
        Path left = Files.createDirectories(cache.resolve(EngineLibrary.VERSION).resolve("fetch-1"));
        Files.writeString(left.resolve("half.tgz"), "half");

        assertThatThrownBy(() -> EngineLibrary.obtain(cache, npm("echo no such host >&2; exit 3")))
                .hasMessageContaining("ended with 3: no such host");
        assertThat(left).doesNotExist();
    }

    private String npm(String script) throws IOException {
        Path file = directory.resolve("npm");
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        return file.toString();
    }
}
