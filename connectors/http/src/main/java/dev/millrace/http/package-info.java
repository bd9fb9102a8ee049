/// The HTTP sink: a batch is one request to a server of the user's, under one token.
///
/// It decides what a request says and what its answer means. It promises of repeats what the user says
/// that the server remembers, since no server can be asked.
@NullMarked
package dev.millrace.http;

import org.jspecify.annotations.NullMarked;
