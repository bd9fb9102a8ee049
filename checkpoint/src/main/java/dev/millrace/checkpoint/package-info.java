/// How far each partition is done: ranges, their acknowledgements, the contiguous watermark, and what to commit when.
///
/// Knows no Kafka class, no sink, no clock and no thread. The source thread owns every tracker and the commit flight;
/// only parts of an acknowledgement ([Ack.Part]) may be resolved from other threads.
@NullMarked
package dev.millrace.checkpoint;

import org.jspecify.annotations.NullMarked;
