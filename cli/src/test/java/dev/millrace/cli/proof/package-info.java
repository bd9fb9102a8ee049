/// The proof of the main job on real parts: the process that a user runs, as a black box between a Kafka broker and
/// PostgreSQL databases behind proxies that break.
///
/// A [Scene] has the parts of one test, a [Trial] is one run of the process in it. What the process says of itself,
/// its [Report], is compared figure by figure with what the broker and the databases say. Nothing here knows how
/// Millrace works inside: only its file, its signals, its exit code, its two outputs and its admin pages.
@NullMarked
package dev.millrace.cli.proof;

import org.jspecify.annotations.NullMarked;
