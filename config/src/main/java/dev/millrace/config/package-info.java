/// One strict YAML file becomes immutable records, or a list of everything that is wrong with it.
///
/// Decides what each key means, its unit, default and bounds, and which settings cannot work together. Knows no
/// Kafka class, no driver and no process environment: the environment is an argument. Everything here is
/// immutable once read; any thread may call [Configuration].
@NullMarked
package dev.millrace.config;

import org.jspecify.annotations.NullMarked;
