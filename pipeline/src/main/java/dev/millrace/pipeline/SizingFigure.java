package dev.millrace.pipeline;

/// One figure of a sizing: of which part of the pipeline, its name, and how it comes about.
///
/// `of` is [#PROCESS], [#GROUP], [#OUTAGE] or a sink by its place in the file, such as `sinks.warehouse`; `from` is a
/// formula in words of the file, or names a source.
public record SizingFigure(String of, String name, double value, Unit unit, String from) {
    public static final String PROCESS = "process";
    public static final String GROUP = "group";
    public static final String OUTAGE = "outage";

    public enum Unit {
        BYTES,
        SECONDS,
        ROWS,
        CORES,
        TOKENS,
        CHARACTERS,
        CONNECTIONS,
        PER_SECOND,
        CPU_SECONDS_PER_GB,
        THREADS
    }
}
