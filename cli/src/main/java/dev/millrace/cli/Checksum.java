package dev.millrace.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// The SHA-256 of a file, in a file beside it that `sha256sum -c` reads. The build of the archive runs it.
final class Checksum {
    private Checksum() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1) throw new IllegalArgumentException("name one file");
        beside(Path.of(arguments[0]));
    }

    /// Returns the file that was written: the same name, and `.sha256`.
    static Path beside(Path file) throws IOException {
        var name = String.valueOf(file.getFileName());
        return Files.writeString(file.resolveSibling(name + ".sha256"), of(file) + "  " + name + "\n");
    }

    private static String of(Path file) throws IOException {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            try (var in = new DigestInputStream(Files.newInputStream(file), digest)) {
                in.transferTo(OutputStream.nullOutputStream());
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
