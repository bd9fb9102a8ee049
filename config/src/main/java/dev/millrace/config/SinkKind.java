package dev.millrace.config;

/// What a sink writes to, with the settings of that kind.
public sealed interface SinkKind permits PostgresConfig, ClickHouseConfig, HttpConfig, BlackholeConfig {}
