package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.Configuration;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// What `millrace explain` and `millrace schema` print, and their exit codes.
class ConfigurationCommandsTest {
    @TempDir
    private Path directory = Path.of("");

    private final StringWriter out = new StringWriter();
    private final CommandLine millrace = new CommandLine(Main.class).setOut(new PrintWriter(out));

    @Test
    @Tag("CFG-5")
    void explainPrintsWhatTheExampleComesTo() throws IOException {
        var secret = Files.writeString(directory.resolve("password"), "hunter2\n");
        var file = Files.writeString(
                directory.resolve("pipeline.yaml"),
                Files.readString(Path.of("../docs/pipeline.example.yaml"))
                        .replace("/run/secrets/postgres", secret.toString()));

        assertThat(millrace.execute("explain", file.toString())).isZero();

        assertThat(out.toString())
                .containsPattern("password: \\*\\*\\* +# .*pipeline\\.yaml:[0-9]+, secret file .*/password\n")
                .containsPattern("max_rows: 500000 +# .*pipeline\\.yaml:[0-9]+\n")
                .doesNotContain("hunter2")
                .endsWith("\n");
    }

    @Test
    @Tag("CFG-5")
    void explainOfAWrongFilePrintsNothingAndEndsWithTwo() throws IOException {
        var file = Files.writeString(directory.resolve("pipeline.yaml"), "pipelin: { name: a }\n");

        assertThat(millrace.execute("explain", file.toString())).isEqualTo(2);

        assertThat(out.toString()).isEmpty();
    }

    @Test
    @Tag("CFG-7")
    void schemaPrintsTheShippedSchema() throws IOException {
        assertThat(millrace.execute("schema")).isZero();
        assertThat(out.toString())
                .isEqualTo(Files.readString(Path.of("../docs/pipeline.schema.json")))
                .isEqualTo(Configuration.schema());
    }
}
