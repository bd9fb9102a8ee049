package dev.millrace.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import dev.millrace.config.LoggingConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sets logging up from the pipeline's file: text or JSON, on standard error, with the event's name first.
///
/// Line breaks and other controls in a message are replaced, so that nobody's text can forge a line.
final class Logs {
    private static final String TEXT =
            "%d{yyyy-MM-dd'T'HH:mm:ss.SSS'Z', UTC} %-5level %replace(%kvp{NONE} %msg){'[\\p{Cntrl}]+', ' '}%n%ex{5}";

    private Logs() {}

    static void configure(LoggingConfig.Format format, LoggingConfig.Level level) {
        var context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        var appender = new ConsoleAppender<ILoggingEvent>();
        appender.setContext(context);
        appender.setTarget("System.err");
        appender.setEncoder(encoder(context, format));
        appender.start();
        var root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.addAppender(appender);
        root.setLevel(Level.WARN);
        context.getLogger("dev.millrace").setLevel(Level.toLevel(level.name()));
        // Kafka's own clients repeat at WARN what Millrace tells once.
        context.getLogger("org.apache.kafka").setLevel(Level.ERROR);
        context.getLogger("kafka").setLevel(Level.ERROR);
        context.getLogger("com.zaxxer.hikari").setLevel(Level.ERROR);
    }

    private static Encoder<ILoggingEvent> encoder(LoggerContext context, LoggingConfig.Format format) {
        return switch (format) {
            case TEXT -> {
                var encoder = new PatternLayoutEncoder();
                encoder.setContext(context);
                encoder.setPattern(TEXT);
                encoder.start();
                yield encoder;
            }
            case JSON -> {
                var encoder = new JsonEncoder();
                encoder.setContext(context);
                encoder.setWithFormattedMessage(true);
                encoder.setWithMessage(false);
                encoder.setWithArguments(false);
                encoder.setWithContext(false);
                encoder.setWithMarkers(false);
                encoder.setWithMDC(false);
                encoder.setWithSequenceNumber(false);
                encoder.start();
                yield encoder;
            }
        };
    }
}
