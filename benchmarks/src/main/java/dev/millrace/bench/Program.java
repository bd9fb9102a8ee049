package dev.millrace.bench;

/// What reads a topic: a bare loop, or a pipeline of one format into one kind of sink. Each has a process of
/// its own.
enum Program {
    /// Goes through the records and adds up lengths: no byte of a value is looked at.
    BARE("bare loop", Store.NONE, ""),
    /// The same, and reads every byte, as `blackhole` does.
    BARE_SUM("bare loop, reads bytes", Store.NONE, ""),
    RAW_BLACKHOLE("raw → blackhole", Store.NONE, "raw"),
    RAW_HTTP("raw → HTTP", Store.HTTP, "raw"),
    JSON_BLACKHOLE("json → blackhole", Store.NONE, "json"),
    /// Typed by the columns of a real table; what is made for it goes nowhere.
    ROW_BINARY_BLACKHOLE("json → RowBinary → blackhole", Store.CLICKHOUSE, "json"),
    JSON_POSTGRES("json → PostgreSQL", Store.POSTGRES, "json"),
    JSON_CLICKHOUSE("json → ClickHouse, json_each_row", Store.CLICKHOUSE, "json"),
    ROW_BINARY_CLICKHOUSE("json → ClickHouse, row_binary", Store.CLICKHOUSE, "json");

    /// Whom it needs besides the broker.
    enum Store {
        NONE,
        HTTP,
        POSTGRES,
        CLICKHOUSE
    }

    private final String title;
    private final Store store;
    private final String format;

    Program(String title, Store store, String format) {
        this.title = title;
        this.store = store;
        this.format = format;
    }

    String title() {
        return title;
    }

    Store store() {
        return store;
    }

    /// As the file names it; empty for a loop.
    String format() {
        return format;
    }

    boolean bare() {
        return format.isEmpty();
    }

    /// Rows end in `blackhole`, or in what stands for it.
    boolean blackhole() {
        return this == RAW_BLACKHOLE || this == JSON_BLACKHOLE || this == ROW_BINARY_BLACKHOLE;
    }

    /// The loop that looks at as many bytes.
    Program reference() {
        return blackhole() || this == BARE_SUM ? BARE_SUM : BARE;
    }
}
