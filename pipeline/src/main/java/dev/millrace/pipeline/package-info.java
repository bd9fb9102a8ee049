/// One running pipeline: assembled from a configuration, started, watched, stopped within a bound, and reported on.
///
/// Knows every module below it and decides nothing that they decide: what is written and committed is theirs. What is
/// decided here is the order of starting and stopping, the exit code, and what people are shown.
@NullMarked
package dev.millrace.pipeline;

import org.jspecify.annotations.NullMarked;
