/// The programs of docs/guides/writing-a-sink.md and docs/guides/embedding.md. Only what is public of the other
/// packages
/// is used here, as by anybody's code.
@NullMarked
package dev.millrace.example;

import org.jspecify.annotations.NullMarked;
