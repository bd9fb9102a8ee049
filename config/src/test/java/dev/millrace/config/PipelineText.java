package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;

/// A pipeline's file as a test writes it: what is required, with more lines where a test says so.
record PipelineText(String text) {
    static final Map<String, String> ENV = Map.of("PASSWORD", "hunter2", "EMPTY", "", "NAME", "storefront");

    /// The least a PostgreSQL pipeline needs.
    static PipelineText postgres() {
        return new PipelineText("""
                pipeline:
                  name: storefront
                source:
                  kafka:
                    bootstrap_servers: localhost:9092
                    topics: [orders, payments]
                    group_id: storefront-ingest
                sinks:
                  warehouse:
                    postgres:
                      table: public.events
                      user: ingest
                      password: ${PASSWORD}
                      tls: { mode: verify-full, ca_file: /etc/ssl/ca.pem }
                    shards:
                      s0: [postgres://db-0a:5432/shop, postgres://db-0b:5432/shop]
                      s1: [postgres://db-1a:5432/shop, postgres://db-1b:5432/shop]
                """);
    }

    PipelineText with(String old, String replacement) {
        assertThat(text).contains(old);
        return new PipelineText(text.replace(old, replacement));
    }

    /// Lines below the sink's name.
    PipelineText sink(String lines) {
        return new PipelineText(text + lines.indent(4));
    }

    /// Lines at the root, in front.
    PipelineText root(String lines) {
        return new PipelineText(lines + "\n" + text);
    }

    PipelineText kafka(String lines) {
        return with("    group_id: storefront-ingest\n", "    group_id: storefront-ingest\n" + lines.indent(4));
    }

    ReadResult read() {
        return Configuration.read("pipeline.yaml", text, ENV::get);
    }

    ReadResult.Loaded loaded() {
        return switch (read()) {
            case ReadResult.Loaded loaded -> loaded;
            case ReadResult.Refused(var problems) -> throw new AssertionError(problems.toString());
        };
    }

    PipelineConfig config() {
        return loaded().config();
    }

    SinkConfig onlySink() {
        return config().sinks().getFirst();
    }

    List<String> warnings() {
        return loaded().warnings().stream()
                .map(p -> p.path() + ": " + p.message())
                .toList();
    }

    /// With a file of these rights.
    List<String> warnings(Path file, String mode) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        return warnings();
    }

    List<String> problems() {
        return switch (read()) {
            case ReadResult.Refused(var problems) ->
                problems.stream().map(p -> p.path() + ": " + p.message()).toList();
            case ReadResult.Loaded _ -> List.of();
        };
    }
}
