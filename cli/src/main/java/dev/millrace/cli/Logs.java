package dev.millrace.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import dev.millrace.config.LoggingConfig;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.Redaction;
import dev.millrace.sinkpool.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sets logging up from the pipeline's file: text or JSON, on standard error.
final class Logs {
    private static final String APPENDER = "standard error";

    private Logs() {}

    /// As the file says, and without its secrets.
    static void configure(PipelineConfig config) {
        configure(config, config.logging().level());
    }

    /// At another level than the file says.
    static void configure(PipelineConfig config, LoggingConfig.Level level) {
        configure(new LogFormat(config.logging().format(), Redaction.of(config)), level);
    }

    /// Of a command without a file.
    static void configure(LoggingConfig.Format format, LoggingConfig.Level level) {
        configure(new LogFormat(format, Redaction.NONE), level);
    }

    private static void configure(LogFormat format, LoggingConfig.Level level) {
        var context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        var all = level.compareTo(LoggingConfig.Level.INFO) < 0;
        var appender = new LogAppender(format, all, System.err, NanoClock.SYSTEM);
        appender.setContext(context);
        appender.setName(APPENDER);
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

    /// While another file than the one that it is set up for is looked at, and until it is set up anew: without the
    /// secrets of that one either.
    static void hideToo(PipelineConfig config) {
        var root = ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger(Logger.ROOT_LOGGER_NAME);
        if (root.getAppender(APPENDER) instanceof LogAppender appender) appender.hide(Redaction.of(config));
    }

    /// Tells what is held back. What is logged afterwards is not told.
    static void end() {
        ((LoggerContext) LoggerFactory.getILoggerFactory()).stop();
    }
}
