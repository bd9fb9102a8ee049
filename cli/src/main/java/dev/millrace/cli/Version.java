package dev.millrace.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/// The version that the build wrote into this program.
final class Version implements IVersionProvider {
    static String number() {
        return of("version");
    }

    /// The commit it was built from, with `-dirty` if something was changed; `unknown` if the
    /// build was not told.
    static String commit() {
        return of("commit");
    }

    /// The version, and the commit it was built from if the build was told.
    static String build() {
        var commit = commit();
        return commit.equals("unknown") ? "version " + number() : "version " + number() + ", commit " + commit;
    }

    private static String of(String key) {
        var properties = new Properties();
        try (var in = Version.class.getResourceAsStream("/millrace-version.properties")) {
            if (in == null) throw new IllegalStateException("the build left out millrace-version.properties");
            properties.load(in);
        } catch (IOException cause) {
            throw new UncheckedIOException(cause);
        }
        return properties.getProperty(key);
    }

    @Override
    public String[] getVersion() {
        return new String[] {"millrace " + number()};
    }
}
