package dev.millrace.cli;

import dev.millrace.config.Configuration;
import dev.millrace.config.ExplainResult;
import dev.millrace.config.KafkaSourceConfig;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.Problem;
import dev.millrace.config.ReadResult;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A pipeline's file as a command reads it: all problems go to standard error, a line each.
final class PipelineFile {
    private static final int MAX_BYTES = 1 << 20;
    private static final int DIGEST_BYTES = 8;

    private PipelineFile() {}

    /// What stood in a file at one moment. `digest` tells one content from another; empty where it could not be read.
    record Given(Path file, String digest, ReadResult result) {
        /// The configuration, or null when there is something to mend, which has been told.
        @Nullable
        PipelineConfig told() {
            return PipelineFile.told(result);
        }
    }

    static Given give(Path file) {
        try {
            var bytes = bytes(file);
            return new Given(file, digest(bytes), Configuration.read(file.toString(), bytes, System::getenv));
        } catch (IOException _) {
            return new Given(file, "", Configuration.read(file, System::getenv)); // it says why
        }
    }

    /// Of its content now. Throws where that cannot be read.
    static String digest(Path file) throws IOException {
        return digest(bytes(file));
    }

    private static byte[] bytes(Path file) throws IOException {
        try (var in = Files.newInputStream(file)) {
            return in.readNBytes(MAX_BYTES + 1);
        }
    }

    private static String digest(byte[] bytes) {
        try {
            var all = MessageDigest.getInstance("SHA-256").digest(bytes);
            return HexFormat.of().formatHex(all, 0, DIGEST_BYTES);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /// The configuration, or null when there is something to mend, which has been told.
    static @Nullable PipelineConfig read(Path file) {
        return told(Configuration.read(file, System::getenv));
    }

    /// The same for a command that looks at what Kafka holds; of a pipeline that reads nothing there that is told.
    static @Nullable PipelineConfig readOfKafka(Path file) {
        var config = read(file);
        if (config == null || config.source() instanceof KafkaSourceConfig) return config;
        System.err.println(file + ": source: there is no log behind source.http, and no offset, dead letter or lag in"
                + " Kafka; this command is for source.kafka");
        return null;
    }

    private static @Nullable PipelineConfig told(ReadResult result) {
        return switch (result) {
            case ReadResult.Loaded(var config, var warnings) -> {
                tell("warning: ", warnings, System.err);
                yield config;
            }
            case ReadResult.Refused(var problems) -> {
                tell("", problems, System.err);
                yield null;
            }
        };
    }

    /// What the file comes to, as text, or null when there is something to mend, which has been told.
    static @Nullable String explain(Path file) {
        return switch (Configuration.explain(file, System::getenv)) {
            case ExplainResult.Explained(var text, var warnings) -> {
                tell("warning: ", warnings, System.err);
                yield text;
            }
            case ExplainResult.Refused(var problems) -> {
                tell("", problems, System.err);
                yield null;
            }
        };
    }

    private static void tell(String before, List<Problem> problems, PrintStream out) {
        for (var problem : problems) out.println(before + problem.text());
    }
}
