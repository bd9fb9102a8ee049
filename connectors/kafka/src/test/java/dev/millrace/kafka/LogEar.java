package dev.millrace.kafka;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/// Counts what this package logs of one event, from INFO on, while it is open. Of several the last is closed first.
final class LogEar extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.millrace.kafka");
    private final @Nullable Level before = logger.getLevel();
    private final String wanted;
    private final AtomicInteger heard = new AtomicInteger();

    LogEar(String wanted) {
        this.wanted = wanted;
        start();
        logger.setLevel(Level.INFO);
        logger.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
        var pairs = event.getKeyValuePairs();
        if (pairs != null && pairs.stream().anyMatch(pair -> wanted.equals(pair.value))) heard.incrementAndGet();
    }

    int count() {
        return heard.get();
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        logger.setLevel(before);
        stop();
    }
}
