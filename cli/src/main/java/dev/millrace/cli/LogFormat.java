package dev.millrace.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import dev.millrace.config.LoggingConfig;
import dev.millrace.config.Redaction;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/// How a log line looks, as docs/events.md says: the event's name first, then its fields, then the message.
///
/// Every text is cut to a length, redacted, and shown without control characters: nobody's text begins a line.
record LogFormat(LoggingConfig.Format format, Redaction redaction) {
    static final String EVENT = "event";

    private static final String LIBRARY = "library";
    private static final int LONGEST = 4_096;
    private static final int FRAMES = 5;
    private static final int CAUSES = 5;
    private static final String FIELD_NEEDS_QUOTES = ".*[\\s\"=].*|";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    /// `leftOut`: how many of the same there were since the last that was told.
    String line(ILoggingEvent event, int leftOut) {
        return switch (format) {
            case TEXT -> text(event, leftOut);
            case JSON -> json(event, leftOut);
        };
    }

    /// In place of a line that could not be made, since something in it throws when it is asked for its text.
    String unmade(ILoggingEvent event, RuntimeException fault) {
        var time = TIME.format(Instant.ofEpochMilli(event.getTimeStamp()));
        var message = "a line of " + event.getLoggerName() + " could not be made: "
                + fault.getClass().getName();
        return switch (format) {
            case TEXT -> "%s %-5s event=line_unmade %s%n".formatted(time, event.getLevel(), Printable.text(message));
            case JSON ->
                new JsonLine()
                                .add("time", time)
                                .add("level", event.getLevel().toString())
                                .add(EVENT, "line_unmade")
                                .add("message", message)
                        + "\n";
        };
    }

    private String text(ILoggingEvent event, int leftOut) {
        var line = new StringBuilder()
                .append(TIME.format(Instant.ofEpochMilli(event.getTimeStamp())))
                .append(" %-5s".formatted(event.getLevel()));
        for (var field : fields(event))
            line.append(' ').append(field.key).append('=').append(field(field));
        if (leftOut > 0) line.append(" repeated=").append(leftOut);
        line.append(' ').append(shown(event.getFormattedMessage())).append('\n');
        for (var cause : causes(event))
            line.append('\t').append(Printable.text(cause)).append('\n');
        return line.toString();
    }

    private String field(KeyValuePair field) {
        var shown = shown(String.valueOf(field.value));
        return shown.matches(FIELD_NEEDS_QUOTES) ? '"' + shown.replace("\"", "\\\"") + '"' : shown;
    }

    private String json(ILoggingEvent event, int leftOut) {
        var line = new JsonLine()
                .add("time", TIME.format(Instant.ofEpochMilli(event.getTimeStamp())))
                .add("level", event.getLevel().toString());
        var fields = fields(event);
        fields.stream()
                .filter(field -> field.key.equals(EVENT))
                .forEach(field -> line.add(EVENT, String.valueOf(field.value)));
        line.add("logger", event.getLoggerName());
        for (var field : fields) if (!field.key.equals(EVENT)) add(line, field.key, field.value);
        if (leftOut > 0) line.add("repeated", leftOut);
        line.add("message", bounded(event.getFormattedMessage()));
        var causes = causes(event);
        if (!causes.isEmpty()) line.add("error", causes);
        return line + "\n";
    }

    private void add(JsonLine line, String key, @Nullable Object value) {
        switch (value) {
            case Boolean flag -> line.add(key, flag.booleanValue());
            case Integer number -> line.add(key, number.longValue());
            case Long number -> line.add(key, number.longValue());
            case null -> line.add(key, (String) null);
            default -> line.add(key, bounded(value.toString()));
        }
    }

    /// The event first. What a library tells is an event of ours too.
    private static List<KeyValuePair> fields(ILoggingEvent event) {
        var pairs = event.getKeyValuePairs();
        if (pairs != null && pairs.stream().anyMatch(pair -> pair.key.equals(EVENT))) return pairs;
        var fields = new ArrayList<KeyValuePair>();
        fields.add(new KeyValuePair(EVENT, LIBRARY));
        fields.add(new KeyValuePair("from", event.getLoggerName()));
        if (pairs != null) fields.addAll(pairs);
        return fields;
    }

    private String shown(String text) {
        return Printable.text(bounded(text));
    }

    private String bounded(String text) {
        var clean = redaction.of(text);
        return clean.length() <= LONGEST
                ? clean
                : clean.substring(0, LONGEST) + "… and " + (clean.length() - LONGEST) + " characters more";
    }

    /// What was thrown and by what, with the first frames of each, a line for each.
    private List<String> causes(ILoggingEvent event) {
        var lines = new ArrayList<String>();
        var thrown = event.getThrowableProxy();
        for (var depth = 0; thrown != null && depth < CAUSES; depth++) {
            lines.add((depth == 0 ? "" : "caused by ") + bounded(said(thrown)));
            var frames = thrown.getStackTraceElementProxyArray();
            for (var i = 0; i < Math.min(frames.length, FRAMES); i++) lines.add(frames[i].getSTEAsString());
            thrown = thrown.getCause();
        }
        return lines;
    }

    private static String said(IThrowableProxy thrown) {
        return thrown.getMessage() == null ? thrown.getClassName() : thrown.getClassName() + ": " + thrown.getMessage();
    }
}
