/// Polled records as the consumer's thread sees them, for the bench of the hot path: their view is nobody else's to
/// make.
@NullMarked
package dev.millrace.kafka;

import org.jspecify.annotations.NullMarked;
