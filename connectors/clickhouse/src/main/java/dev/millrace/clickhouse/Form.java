package dev.millrace.clickhouse;

import org.jspecify.annotations.Nullable;

/// How rows are sent: what is said of every insert, and the columns that typed rows are made for.
/// `columns` is null for rows that are sent as they are.
record Form(InsertSettings insert, @Nullable TableLayout columns) {}
