/// The commands that people type, the signals that reach the process, and what it prints.
///
/// Standard output holds a command's result (the report, the demo's lines) and nothing else; logs go to standard error.
@NullMarked
package dev.millrace.cli;

import org.jspecify.annotations.NullMarked;
