/// Real parts on this machine for the demo and for tests: a Kafka broker, a PostgreSQL server, and a proxy that
/// breaks connections.
///
/// Decides how a part is started small, stopped, killed and started again on the port and the data it had.
/// Knows nothing of pipelines, sinks or checkpoints. Everything listens on 127.0.0.1 alone, and writes to SLF4J
/// alone. May be called from any thread, unless a type says otherwise.
@NullMarked
package dev.millrace.lab;

import org.jspecify.annotations.NullMarked;
