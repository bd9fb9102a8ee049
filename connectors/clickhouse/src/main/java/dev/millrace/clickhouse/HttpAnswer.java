package dev.millrace.clickhouse;

/// What a server answered, read within bounds.
///
/// `code` is that of `X-ClickHouse-Exception-Code`, 0 without one, [#UNREADABLE] where that is no number. `text` is the
/// beginning and the end of the body; `gapped`: there was more between them. `ofClickHouse`: a header says so. `whole`:
/// the body was read to its end, in the clear.
/// `retryAfterSeconds` is 0 where none was named. `writtenRows` is what `X-ClickHouse-Summary` counts, 0
/// where it counts none or is not there.
record HttpAnswer(
        int status,
        int code,
        String text,
        boolean ofClickHouse,
        boolean whole,
        boolean gapped,
        long retryAfterSeconds,
        long writtenRows) {
    static final int UNREADABLE = -1;
}
