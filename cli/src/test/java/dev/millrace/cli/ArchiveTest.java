package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the archive has in it and beside it.
final class ArchiveTest {
    /// Of a file that is named and was not made, the assembly ends with an error.
    @Test
    void itHasTheListOfWhatIsInItAndTheLicences() throws Exception {
        var assembly = Files.readString(Path.of("..", "deploy", "archive", "assembly.xml"));
        assertThat(assembly)
                .contains(
                        "<source>${project.build.directory}/archive/sbom.cdx.json</source>",
                        "<source>${project.build.directory}/archive/THIRD-PARTY.txt</source>",
                        "<include>LICENSE</include>");
        assertThat(Files.readString(Path.of("pom.xml"))).contains("<goal>makeBom</goal>", "<id>checksum</id>");
    }

    /// The digest of "abc" is that of FIPS 180.
    @Test
    void itIsWhatSha256sumReads(@TempDir Path directory) throws Exception {
        var written = Checksum.beside(Files.writeString(directory.resolve("a.tar.gz"), "abc"));
        assertThat(written).isEqualTo(directory.resolve("a.tar.gz.sha256"));
        assertThat(written).hasContent("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a.tar.gz\n");
    }
}
