package dev.millrace.cli;

import dev.millrace.kafka.RecordPlace;
import dev.millrace.kafka.StartRefused;
import dev.millrace.pipeline.ExitCode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `millrace dlq show`: prints one dead letter, headers, key and value.
@Command(
        name = "show",
        description = {
            "Print the letters of one record, the newest for each sink: headers, key and value.",
            "The record is named as list prints it; any record of the dead-letter topic is, by its place there."
        })
final class DlqShowCommand implements Callable<Integer> {
    private static final int NOT_FOUND = 1;
    private static final int MOST_BYTES = 4096;

    @Parameters(index = "0", paramLabel = "FILE", description = "the pipeline's YAML file")
    private @Nullable Path file;

    @Parameters(index = "1", paramLabel = "TOPIC-PARTITION@OFFSET", description = "which record")
    private @Nullable String place;

    @Option(names = "--raw", description = "write the value and nothing else, byte for byte, to standard output")
    private boolean raw;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        if (spec == null || place == null) throw new IllegalStateException("not called by the command line");
        var err = spec.commandLine().getErr();
        var at = RecordPlace.parse(place);
        if (at == null) return refuse(err, place + " names no record: write topic-partition@offset, as list prints it");
        try {
            var letters = DlqFile.open(file, () -> false);
            if (letters == null) return ExitCode.BAD_CONFIGURATION.code();
            var found = letters.desk().find(at);
            if (found.isEmpty()) {
                refuse(err, letters.desk().topic() + " holds no letter of " + at + ", and none there");
                return NOT_FOUND;
            }
            if (raw) return raw(found.getLast());
            var out = spec.commandLine().getOut();
            for (var record : found) print(record, out);
            out.flush();
            return ExitCode.DRAINED.code();
        } catch (StartRefused refused) {
            return refuse(err, String.valueOf(refused.getMessage()));
        }
    }

    private static int refuse(PrintWriter err, String line) {
        err.println(line);
        err.flush();
        return ExitCode.BAD_CONFIGURATION.code();
    }

    private static int raw(ConsumerRecord<byte[], byte[]> record) {
        var value = record.value();
        if (value != null) System.out.write(value, 0, value.length);
        System.out.flush();
        return ExitCode.DRAINED.code();
    }

    private static void print(ConsumerRecord<byte[], byte[]> record, PrintWriter out) {
        out.println("at     " + record.topic() + "-" + record.partition() + "@" + record.offset());
        for (var header : record.headers())
            out.println("header " + Printable.text(header.key()) + ": " + Printable.bytes(header.value(), MOST_BYTES));
        out.println("key    " + Printable.bytes(record.key(), MOST_BYTES));
        out.println("value  " + Printable.bytes(record.value(), MOST_BYTES));
    }
}
