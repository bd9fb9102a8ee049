/// JSON values as sinks that have typed columns read them: where each field's value stands, what a
/// string, a number or a time in it is, and why one is no row.
///
/// It decides what is refused for its own sake (grammar, encoding, depth, a key twice, a field that
/// nobody knows), in one set of words for all sinks. It knows no sink's spelling of a row: bytes are
/// looked at where they stand, and nothing is built.
///
/// Mutable ones belong to the source thread whose encoder made them.
@NullMarked
package dev.millrace.json;

import org.jspecify.annotations.NullMarked;
