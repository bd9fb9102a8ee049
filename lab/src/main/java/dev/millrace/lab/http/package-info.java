/// Servers that take rows over HTTP, on real sockets, and answer well or ill as a test tells them.
@NullMarked
package dev.millrace.lab.http;

import org.jspecify.annotations.NullMarked;
