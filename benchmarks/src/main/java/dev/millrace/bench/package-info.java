/// What Millrace costs: the whole pipeline against a bare poll loop, and what its hot path allocates.
///
/// `docs/benchmarks.md` tells how to run it and how to read it. Nothing of the product knows this package.
@NullMarked
package dev.millrace.bench;

import org.jspecify.annotations.NullMarked;
