package dev.millrace.clickhouse;

/// What a server answered, read within bounds.
///
/// `code` is that of `X-ClickHouse-Exception-Code`, 0 without one. `text` is the beginning and the end of the body.
/// `ofClickHouse`: a header says so. `whole`: the body was read to its end. `retryAfterSeconds` is 0 where none was
/// named.
record HttpAnswer(int status, int code, String text, boolean ofClickHouse, boolean whole, long retryAfterSeconds) {}
