/// The Kafka side: what is polled, checked, routed, encoded and handed over, and what is committed when.
///
/// [dev.millrace.kafka.SourceMachine] decides for one group member and knows no thread, clock or consumer; the
/// consumer threads of [dev.millrace.kafka.KafkaSource] are its shells. Knows no sink: a row leaves through
/// [dev.millrace.sinkpool.Intake], and comes back as the end of a range. Nothing outside this package touches a
/// consumer.
@NullMarked
package dev.millrace.kafka;

import org.jspecify.annotations.NullMarked;
