/// The ClickHouse sink: batches over HTTP, each one block under one token.
@NullMarked
package dev.millrace.clickhouse;

import org.jspecify.annotations.NullMarked;
