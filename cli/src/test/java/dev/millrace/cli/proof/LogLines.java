package dev.millrace.cli.proof;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/// What Millrace logs in this JVM while it is open, keys and values before the message as in the product's own lines.
///
/// Thread ownership: any thread.
final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.millrace");

    static LogLines capture() {
        var capture = new LogLines();
        capture.setContext(capture.logger.getLoggerContext());
        capture.start();
        capture.logger.setLevel(Level.INFO);
        capture.logger.setAdditive(false);
        capture.logger.addAppender(capture);
        return capture;
    }

    @Override
    protected void append(ILoggingEvent event) {
        var pairs = event.getKeyValuePairs();
        var before = pairs == null
                ? ""
                : pairs.stream().map(pair -> pair.key + "=" + pair.value + " ").collect(Collectors.joining());
        lines.add(before + event.getFormattedMessage());
    }

    List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        logger.setAdditive(true);
        logger.setLevel(null);
        stop();
    }
}
