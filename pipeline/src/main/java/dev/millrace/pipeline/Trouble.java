package dev.millrace.pipeline;

/// Something that a person on call should know, in words that need no knowledge of the program.
///
/// @param where what it is about, as `/status` names it; empty for the whole pipeline
/// @param what what is wrong, what waits for it and that nothing is lost
/// @param remedy what to do about it, and what comes by itself
record Trouble(Level level, String where, String what, String remedy) {
    enum Level {
        /// Rows wait for somebody.
        BAD,
        /// Nothing waits for it, or somebody wanted it so.
        WATCH
    }
}
