/// jcstress tests of what the pool's threads share and nobody outside its package sees: mailboxes, lanes and published
/// views; and what benches need of it.
///
/// Run by the build with those of `dev.millrace.bench.stress`.
@NullMarked
package dev.millrace.sinkpool;

import org.jspecify.annotations.NullMarked;
