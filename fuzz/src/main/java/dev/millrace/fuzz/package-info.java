/// What fuzz tests share: inputs that are kept, inputs that chance makes of them, and the way to a fuzzer that is
/// guided by coverage.
///
/// Decides how an input is written down, how one is changed, and how a target is run. Knows no code that is fuzzed:
/// targets stand beside it, in its tests. For tests only; one thread, unless a type says otherwise.
@NullMarked
package dev.millrace.fuzz;

import org.jspecify.annotations.NullMarked;
