package dev.millrace.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/// What a load and the pipeline that reads it tell each other while both run: files in a folder of their own.
///
/// Thread ownership: any thread, in either process.
record Signals(Path folder) {
    /// By the pipeline: it reads.
    static final String READS = "reads";

    /// By the pipeline: the second member has come and gone.
    static final String LEFT = "left";

    /// By the load: all is sent, and how many records it is.
    static final String SENT = "sent";

    private static final String HALF = ".half";

    static Signals make() {
        try {
            return new Signals(Files.createTempDirectory("millrace-suite-"));
        } catch (IOException failure) {
            throw new UncheckedIOException("no folder for signals", failure);
        }
    }

    void give(String name, long number) {
        try {
            var half = Files.writeString(folder.resolve(name + HALF), Long.toString(number));
            Files.move(half, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot give signal " + name, failure);
        }
    }

    boolean given(String name) {
        return Files.exists(folder.resolve(name));
    }

    /// Null for one that was not given yet.
    @Nullable
    Long number(String name) {
        try {
            return given(name) ? Long.valueOf(Files.readString(folder.resolve(name))) : null;
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot read signal " + name, failure);
        }
    }

    void delete() {
        try (var files = Files.list(folder)) {
            for (var file : files.toList()) Files.delete(file);
            Files.delete(folder);
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot delete " + folder, failure);
        }
    }
}
