/// jcstress tests of what threads share: each class races the calls of one shared object and lists every outcome that
/// may be seen.
///
/// A class put here is run by the build, shortly; for long runs, on a machine with cores to spare, give the same
/// classes to `org.openjdk.jcstress.Main` without the options of the build. Where one fails, the outcome that was
/// seen is in the report.
@NullMarked
package dev.millrace.bench.stress;

import org.jspecify.annotations.NullMarked;
