/// Runs the production machines under a seed: virtual time, fake log, group and sink, faults, and oracles that hold
/// the run against the truth.
///
/// [dev.millrace.testkit.Simulation] is the way in. A run is one thread and reads no clock: its seed fixes everything,
/// the settings included, so a seed that fails fails again. Knows no Kafka class and no driver.
@NullMarked
package dev.millrace.testkit;

import org.jspecify.annotations.NullMarked;
