/// HTTP as sinks speak it: one client, one request with a batch's rows, one answer that is read within
/// bounds.
///
/// It decides how a connection is made, who is shown on it, how rows are packed, and when a wait is over. It
/// knows nothing of what an answer means: that is its sink's. Attempts of any sink may call it, each on a
/// thread of its own.
@NullMarked
package dev.millrace.httpclient;

import org.jspecify.annotations.NullMarked;
