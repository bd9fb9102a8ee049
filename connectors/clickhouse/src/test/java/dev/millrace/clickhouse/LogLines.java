package dev.millrace.clickhouse;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/// What one class logs while this is open.
final class LogLines implements AutoCloseable {
    private final Logger logger;
    private final ListAppender<ILoggingEvent> kept = new ListAppender<>();

    private LogLines(Logger logger) {
        this.logger = logger;
        kept.start();
        logger.addAppender(kept);
    }

    static LogLines of(Class<?> type) {
        return new LogLines((Logger) LoggerFactory.getLogger(type));
    }

    /// Of a class that is not seen from here.
    static LogLines named(String type) {
        return new LogLines((Logger) LoggerFactory.getLogger(type));
    }

    List<String> lines() {
        return List.copyOf(kept.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(kept);
    }
}
