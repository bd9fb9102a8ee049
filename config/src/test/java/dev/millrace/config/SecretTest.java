package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("CFG-5")
class SecretTest {
    @Test
    void aSecretPrintsAsStars() {
        var secret = Secret.of("hunter2");
        assertThat(secret).hasToString("***");
        assertThat("" + secret).isEqualTo("***");
        assertThat(secret.reveal()).isEqualTo("hunter2");
        assertThat(secret).isEqualTo(Secret.of("hunter2")).isNotEqualTo(Secret.of("hunter3"));
        assertThat(secret.hashCode()).isEqualTo(Secret.of("hunter3").hashCode());
    }

    @Test
    void aWholeConfigurationPrintsNoSecret() {
        var loaded = PipelineText.postgres()
                .kafka("properties: { ssl.key.password: \"${PASSWORD}\" }")
                .loaded();
        assertThat(loaded.toString()).contains("***").doesNotContain("hunter2");
        assertThat(((PostgresConfig) loaded.config().sinks().getFirst().kind())
                        .password()
                        .reveal())
                .isEqualTo("hunter2");
    }

    @Test
    @DisplayName("INPUT-44: a secret from a file is read again, and what went wrong is told without it")
    void aSecretFromAFileIsReadAgain(@TempDir Path directory) throws Exception {
        var file = Files.writeString(directory.resolve("password"), "hunter2\n");
        var loaded = PipelineText.postgres()
                .with("${PASSWORD}", "${file:" + file + "}")
                .loaded();
        var password = ((PostgresConfig) loaded.config().sinks().getFirst().kind()).password();
        assertThat(password.current()).isEqualTo("hunter2");
        Files.writeString(file, "hunter3\n");
        assertThat(password.current()).isEqualTo("hunter3");
        assertThat(password.reveal()).isEqualTo("hunter2");
        for (var broken : List.of("", "hunter4".repeat(20_000))) {
            Files.writeString(file, broken);
            assertThatThrownBy(password::current)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageNotContaining("hunter");
        }
        Files.delete(file);
        assertThatThrownBy(password::current).isInstanceOf(IllegalStateException.class);
        assertThat(Secret.of("hunter2").current()).isEqualTo("hunter2");
    }

    @Test
    void aPasswordInTheFileIsWarnedAboutAndNotRepeated() {
        assertThat(PipelineText.postgres().with("${PASSWORD}", "hunter2").warnings())
                .containsExactly(
                        "sinks.warehouse.postgres.password: stands in the file in clear; use ${file:/run/secrets/…} or ${VAR}");
    }

    @Test
    void aFileThatEverybodyMayReadIsWarnedAbout(@TempDir Path directory) throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        var file = Files.writeString(directory.resolve("password"), "hunter2\n");
        var text = PipelineText.postgres().with("${PASSWORD}", "${file:" + file + "}");
        for (var mode : List.of("rw-r-----", "rw-------"))
            assertThat(text.warnings(file, mode)).as(mode).isEmpty();
        assertThat(text.warnings(file, "rw-r--r--"))
                .containsExactly("sinks.warehouse.postgres.password: stands in " + file
                        + ", which everybody on this machine may read; take that right away (chmod o-r)");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-x---"));
        assertThat(text.warnings(file, "rw-r--r--")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[hunter2]",
                "{ hunter2: hunter2 }",
                "\"\"",
                "${hunter2",
                "${A:-hunter2",
                "${NONE:?hunter2}",
                "&a hunter2",
                "*hunter2",
                "!hunter2 hunter2"
            })
    void aWrongPasswordIsNotRepeated(String password) {
        assertThat(PipelineText.postgres().with("${PASSWORD}", password).problems())
                .isNotEmpty()
                .noneMatch(problem -> problem.contains("hunter2"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgres://ingest:hunter2@db:5432/shop", "postgres://hunter2@db:5432/shop",
                        "jdbc:postgresql://u:hunter2@db/shop",
                "ingest:hunter2@db:5432", "postgres://db:5432/shop?password=hunter2",
                        "postgres://${NAME}:${PASSWORD}@db:5432/shop",
                "postgres:/${PASSWORD}"
            })
    void aCredentialInAnEndpointIsNotRepeated(String endpoint) {
        assertThat(PipelineText.postgres()
                        .with("postgres://db-0a:5432/shop", '"' + endpoint + '"')
                        .problems())
                .hasSize(1)
                .noneMatch(problem -> problem.contains("hunter2"));
    }

    @Test
    void printedTextsAreShortAndOnOneLine() {
        assertThat(Text.printable("a\nb\u001b[1m\u202e\u2028", 80)).isEqualTo("a\\u000ab\\u001b[1m\\u202e\\u2028");
        assertThat(Text.printable("x".repeat(100), 10)).isEqualTo("x".repeat(10) + "…");
        assertThat(Text.printable("x".repeat(10), 10)).isEqualTo("x".repeat(10));
    }
}
