package dev.millrace.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/// Where a part of the lab keeps its data.
public final class Directories {
    private Directories() {}

    /// The given one, made if it is not there, or a new temporary one.
    public static Path forData(String part, @Nullable Path given) {
        try {
            if (given != null) return Files.createDirectories(given).toAbsolutePath();
            return Files.createTempDirectory("millrace-" + part + "-");
        } catch (IOException failure) {
            throw new UncheckedIOException("no directory for the data of the " + part, failure);
        }
    }

    /// Deletes it with all it holds. Files that vanish meanwhile are as good as deleted.
    public static void delete(Path directory) {
        try {
            Files.walkFileTree(directory, new Deleting());
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot delete " + directory, failure);
        }
    }

    private static final class Deleting extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) return FileVisitResult.CONTINUE;
            throw failure;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure) throws IOException {
            if (failure != null) throw failure;
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
        }
    }
}
