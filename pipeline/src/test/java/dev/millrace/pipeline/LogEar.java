package dev.millrace.pipeline;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/// Keeps what one logger and those below it log while it is open: each line as its fields and its message.
final class LogEar extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger logger;
    private final List<String> heard = new CopyOnWriteArrayList<>();

    LogEar() {
        this("dev.millrace.pipeline");
    }

    LogEar(String name) {
        logger = (Logger) LoggerFactory.getLogger(name);
        start();
        logger.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
        var pairs = event.getKeyValuePairs();
        var fields = pairs == null
                ? ""
                : pairs.stream().map(pair -> pair.key + "=" + pair.value + " ").collect(Collectors.joining());
        heard.add(fields + event.getFormattedMessage());
    }

    /// The lines of one event.
    List<String> lines(String event) {
        return heard.stream()
                .filter(line -> line.startsWith("event=" + event + " "))
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        stop();
    }
}
