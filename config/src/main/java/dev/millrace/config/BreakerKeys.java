package dev.millrace.config;

import dev.millrace.config.Key.Section;
import dev.millrace.config.Key.Setting;
import java.time.Duration;

/// The keys of `sinks.<name>.breaker`.
final class BreakerKeys {
    static final Setting<Double> FAILURE_RATE = Setting.of(
                    "failure_rate", new PercentType(1, 100), "part of the window's calls that opens it")
            .leftOut("failures in a row count");
    static final Setting<Integer> FAILURES = Setting.of(
                    "failures", CountType.between(1, 1000), "failures in a row that open it")
            .byDefault("3")
            .when(new Applies.Without(FAILURE_RATE));
    static final Setting<Integer> WINDOW = Setting.of(
                    "window", CountType.between(1, 10_000), "last calls that are looked at")
            .byDefault("20")
            .when(new Applies.With(FAILURE_RATE));
    static final Setting<Integer> MIN_CALLS = Setting.of(
                    "min_calls", CountType.between(1, 10_000), "calls before it may open")
            .byDefault("5")
            .when(new Applies.With(FAILURE_RATE));
    static final Setting<Duration> LONGER_THAN = Setting.of(
                    "longer_than", DurationType.between("1ms", "1h"), "when a call counts as slow")
            .byDefault("20s");
    static final Setting<Double> SLOW_RATE = Setting.of(
                    "rate", new PercentType(1, 100), "part of slow calls that opens it")
            .byDefault("80%");
    static final Section SLOW_CALL = Section.of("slow_call", "calls that take too long", LONGER_THAN, SLOW_RATE);
    static final Setting<Duration> OPEN_FOR = Setting.of(
                    "open_for", DurationType.between("100ms", "1h"), "how long a replica is left alone")
            .byDefault("5s");
    static final Setting<Duration> OPEN_FOR_MAX = Setting.of(
                    "open_for_max", DurationType.between("100ms", "1h"), "the longest, while probes keep failing")
            .byDefault("60s");
    static final Setting<Integer> HALF_OPEN_PROBES = Setting.of(
                    "half_open_probes", CountType.between(1, 100), "writes that may probe it at once")
            .byDefault("1");
    static final Setting<Duration> PROBE_TIMEOUT = Setting.of(
                    "probe_timeout", DurationType.between("100ms", "1h"), "longest one probe may take")
            .byDefault("5s");
    static final Section BREAKER = Section.of(
            "breaker",
            "when a replica is left alone",
            FAILURES,
            FAILURE_RATE,
            WINDOW,
            MIN_CALLS,
            SLOW_CALL,
            OPEN_FOR,
            OPEN_FOR_MAX,
            HALF_OPEN_PROBES,
            PROBE_TIMEOUT);

    private BreakerKeys() {}
}
