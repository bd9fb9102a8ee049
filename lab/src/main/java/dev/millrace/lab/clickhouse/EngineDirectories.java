package dev.millrace.lab.clickhouse;

import dev.millrace.lab.Directories;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Temporary directories of engines, each named after the process whose engine it is, so that what a killed
/// process has left is known as such and deleted by the next.
final class EngineDirectories {
    private static final String PART = "clickhouse-";
    private static final Pattern NAME = Pattern.compile("millrace-" + PART + "(\\d+)-.*");

    private EngineDirectories() {}

    static Path create() {
        Path created = Directories.forData(PART + ProcessHandle.current().pid(), null);
        for (Path orphan : orphans(created.resolveSibling(""))) {
            try {
                Directories.delete(orphan);
            } catch (UncheckedIOException beingDeleted) {
                // Its engine, which has just lost its parent, deletes it too. What is left falls to the next.
            }
        }
        return created;
    }

    private static List<Path> orphans(Path directory) {
        var found = new ArrayList<Path>();
        try (var entries = Files.newDirectoryStream(directory, "millrace-" + PART + "*")) {
            for (Path entry : entries) if (orphan(entry)) found.add(entry);
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot look for left directories in " + directory, failure);
        }
        return found;
    }

    private static boolean orphan(Path entry) {
        var name = NAME.matcher(entry.getFileName().toString());
        return name.matches() && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty();
    }
}
