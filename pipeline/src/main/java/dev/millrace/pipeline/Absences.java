package dev.millrace.pipeline;

import dev.millrace.config.PipelineConfig;
import dev.millrace.config.SinkConfig;
import dev.millrace.kafka.KafkaSourceSettings;
import dev.millrace.kafka.KafkaSourceSettings.OnPoison;
import dev.millrace.kafka.LogStretch;
import dev.millrace.kafka.SetAside;
import dev.millrace.kafka.StartRefused;
import dev.millrace.kafka.ValueFormat;
import dev.millrace.pipeline.AuditWindow.Absence;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Tells whether a record that has no row of a sink should have one: not if it was left out by
/// policy, as the file has it now, nor if it was set aside as a dead letter.
///
/// Dead letters are read, and the table described, when they are first needed.
///
/// Thread ownership: the thread that audits.
final class Absences implements AutoCloseable {
    private static final RowBuffer NOWHERE = new RowBuffer() {
        @Override
        public void put(byte b) {}

        @Override
        public void put(byte[] source, int from, int length) {}

        @Override
        public void putAscii(String text) {}
    };

    private final PipelineConfig config;
    private final KafkaSourceSettings source;
    private final List<LogStretch> stretches;
    private final NanoClock clock;
    private final Duration patience;
    private final ValueFormat format;
    private final boolean skipsPoison;
    private @Nullable SetAside letters;
    private @Nullable SinkPart part;
    private @Nullable RowEncoder encoder;

    Absences(
            PipelineConfig config,
            KafkaSourceSettings source,
            List<LogStretch> stretches,
            NanoClock clock,
            Duration patience) {
        this.config = config;
        this.source = source;
        this.stretches = stretches;
        this.clock = clock;
        this.patience = patience;
        format = ValueFormat.of(source.values().format(), source.values().onTombstone());
        skipsPoison = source.values().onPoison() == OnPoison.SKIP;
    }

    /// Throws where that can't be found out.
    Absence of(SinkConfig sink, RecordView record) throws StartRefused, StartFailure {
        switch (format.check(record)) {
            case Encoded.Skipped _ -> {
                return Absence.SKIPPED;
            }
            case Encoded.Poison _ -> {
                if (skipsPoison) return Absence.SKIPPED;
            }
            case Encoded.Written() -> {
                // Only then is a row left out that the table can't have.
                if (skipsPoison && !(encoder(sink).encode(record, NOWHERE) instanceof Encoded.Written))
                    return Absence.SKIPPED;
            }
        }
        return letters().has(sink.name(), record) ? Absence.DEAD_LETTERED : Absence.MISSING;
    }

    private SetAside letters() throws StartRefused {
        var read = letters;
        if (read == null)
            letters = read = SetAside.read(config.poison().topic(), config.name(), source, stretches, clock);
        return read;
    }

    private RowEncoder encoder(SinkConfig sink) throws StartFailure {
        var opened = part;
        var made = encoder;
        if (opened != null && made != null && opened.name().equals(sink.name())) return made;
        if (opened != null) opened.sink().close();
        part = opened = SinkPart.open(config, sink, clock);
        var why = opened.notYet(clock.nanoTime() + patience.toNanos());
        if (why != null) throw new StartFailure(ExitCode.FATAL, "sinks." + sink.name() + ": " + why);
        encoder = made = opened.sink().encoder();
        return made;
    }

    @Override
    public void close() {
        var opened = part;
        if (opened != null) opened.sink().close();
    }
}
