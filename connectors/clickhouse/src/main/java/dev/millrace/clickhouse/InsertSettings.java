package dev.millrace.clickhouse;

import dev.millrace.clickhouse.ClickHouseSettings.UnknownFields;
import dev.millrace.sinkpool.Token;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/// The statement and the settings of every insert, as one URL query: all that touches deduplication, the split into
/// blocks and parsing is said, whatever the server's defaults are (CH-2).
///
/// A batch is one block (CH-3): both bounds of a block lie above any batch, so that an error of parsing comes before
/// anything is stored. But for the token it is the same for every batch, so it is made once.
///
/// Thread ownership: immutable.
final class InsertSettings {
    /// One batch overshoots its bounds by a chunk at most.
    private static final long ROOM = 2;

    /// Settings that a server may not know yet, or no longer: sent where its preflight named them.
    static final Set<String> IF_KNOWN = Set.of(
            "deduplicate_insert",
            "deduplicate_blocks_in_dependent_materialized_views",
            "date_time_overflow_behavior",
            "input_format_json_throw_on_bad_escape_sequence",
            "insert_deduplicate",
            "input_format_parallel_parsing",
            "min_insert_block_size_rows",
            "min_insert_block_size_bytes",
            "async_insert",
            "wait_for_async_insert",
            "throw_if_no_data_to_insert");

    private static final Map<String, String> FIXED = fixed();

    /// Set by what the sink is told, in keys of their own.
    private static final Set<String> OWNED = Set.of(
            "insert_deduplication_token",
            "insert_quorum",
            "input_format_skip_unknown_fields",
            "max_insert_block_size",
            "min_insert_block_size_rows",
            "min_insert_block_size_bytes",
            "max_insert_threads",
            "database",
            "query",
            "query_id",
            "user",
            "password",
            "default_format",
            "session_id",
            "compress",
            "decompress",
            "max_execution_time",
            "timeout_overflow_mode",
            "readonly");

    private final String fixedPart;

    InsertSettings(ClickHouseSettings settings, Set<String> knownByServer) {
        var all = new LinkedHashMap<String, String>();
        all.put("database", settings.database());
        all.put(
                "query",
                "INSERT INTO " + quoted(settings.table()) + " FORMAT "
                        + settings.rows().format().name);
        all.putAll(FIXED);
        all.put(
                "input_format_skip_unknown_fields",
                settings.rows().unknownFields() == UnknownFields.IGNORE ? "1" : "0");
        var rows = ROOM * settings.limits().maxRows();
        var bytes = ROOM * settings.limits().maxBytes();
        all.put("max_insert_block_size", Long.toString(rows));
        all.put("min_insert_block_size_rows", Long.toString(rows));
        all.put("min_insert_block_size_bytes", Long.toString(bytes));
        all.putAll(settings.extra());
        all.keySet().removeIf(name -> IF_KNOWN.contains(name) && !knownByServer.contains(name));
        var text = new StringBuilder();
        all.forEach((name, value) -> text.append(text.isEmpty() ? "" : "&")
                .append(encoded(name))
                .append('=')
                .append(encoded(value)));
        fixedPart = text.append("&insert_deduplication_token=").toString();
    }

    private static Map<String, String> fixed() {
        var all = new LinkedHashMap<String, String>();
        all.put("async_insert", "0");
        all.put("wait_for_async_insert", "1");
        all.put("insert_deduplicate", "1");
        all.put("deduplicate_insert", "enable");
        all.put("deduplicate_blocks_in_dependent_materialized_views", "1");
        all.put("wait_end_of_query", "1");
        all.put("max_insert_threads", "1");
        all.put("input_format_parallel_parsing", "0");
        all.put("input_format_allow_errors_num", "0");
        all.put("input_format_allow_errors_ratio", "0");
        all.put("input_format_null_as_default", "0");
        all.put("input_format_defaults_for_omitted_fields", "1");
        all.put("date_time_overflow_behavior", "throw");
        all.put("throw_if_no_data_to_insert", "1");
        return all;
    }

    /// The URL's query for a batch of this token.
    String query(Token token) {
        return fixedPart + encoded(token.text());
    }

    /// Throws `IllegalArgumentException` where the sink owns the setting.
    static void mustBeFree(String name) {
        if (FIXED.containsKey(name) || OWNED.contains(name))
            throw new IllegalArgumentException("clickhouse.settings: " + name
                    + " is set by the sink, since deduplication, blocks and parsing rest on it: leave it out");
    }

    /// A name in a statement.
    static String quoted(String name) {
        return '`' + name.replace("\\", "\\\\").replace("`", "\\`") + '`';
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
