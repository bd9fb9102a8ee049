package dev.millrace.clickhouse;

import dev.millrace.clickhouse.ClickHouseSettings.Format;
import dev.millrace.clickhouse.ClickHouseSettings.UnknownFields;
import dev.millrace.sinkpool.Token;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The statement and the settings of every insert, as one URL query: all that touches deduplication, the
/// split into blocks and parsing is said, whatever the server's defaults are (CH-2).
///
/// A batch is one block (CH-3): a server cuts blocks at more rows than any batch has, and at no number of
/// bytes, since those that it counts are a row's in its memory. So an error of parsing comes before
/// anything is stored. But for the token it is the same for every batch, so it is made once.
///
/// Thread ownership: immutable.
final class InsertSettings {
    /// A batch has fewer rows. It is the server's own default, and no configuration of ours moves it: a
    /// batch that is sent again after a change is cut as before.
    static final int BLOCK_ROWS = 1_048_449;

    /// Without these a sink can't keep its word.
    static final Set<String> NEEDED =
            Set.of("insert_deduplication_token", "max_insert_block_size", "input_format_skip_unknown_fields");

    /// A server that does not know it reads typed rows whatever their header says.
    static final String HEADER_COUNTS = "input_format_with_types_use_header";

    /// Of the request, not of the server's settings.
    private static final Set<String> OF_THE_REQUEST = Set.of("database", "query", "wait_end_of_query");

    private static final Map<String, String> FIXED = fixed();

    /// Said with typed rows only.
    private static final Map<String, String> OF_TYPED_ROWS = ofTypedRows();

    /// Besides what is fixed: what is said otherwise, and what would go around it.
    private static final Set<String> OWNED = Set.of(
            "insert_deduplication_token",
            "input_format_skip_unknown_fields",
            "database",
            "query",
            "query_id",
            "user",
            "password",
            "quota_key",
            "profile",
            "default_format",
            "session_id",
            "compress",
            "decompress",
            "http_wait_end_of_query",
            "max_execution_time",
            "timeout_overflow_mode",
            "insert_shard_id",
            "readonly");

    /// Whatever a later server calls it.
    private static final Pattern OWNED_LIKE =
            Pattern.compile(".*(dedup|async_insert|insert_block_size|strict_insert|allow_errors).*");

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,99}");

    /// All that is said to a server that knows every setting, in order.
    private final Map<String, String> all;

    private final String fixedPart;
    private final byte[] prefix;

    /// `layout` is null for rows that are sent as they are.
    InsertSettings(ClickHouseSettings settings, Set<String> knownByServer, @Nullable TableLayout layout) {
        var all = new LinkedHashMap<String, String>();
        all.put("database", settings.database());
        all.put("query", statement(settings.table(), layout));
        all.putAll(FIXED);
        if (layout != null) all.putAll(OF_TYPED_ROWS);
        all.put("input_format_skip_unknown_fields", skipsUnknown(settings));
        all.putAll(settings.extra());
        this.all = all;
        prefix = layout == null ? new byte[0] : layout.header();
        fixedPart = query(all, knownByServer);
    }

    private InsertSettings(Map<String, String> all, byte[] prefix, Set<String> knownByServer) {
        this.all = all;
        this.prefix = prefix;
        fixedPart = query(all, knownByServer);
    }

    /// The same for a server that knows these. None is told another value (CH-3).
    InsertSettings knownBy(Set<String> server) {
        return new InsertSettings(all, prefix, server);
    }

    /// Up to the token.
    private static String query(Map<String, String> all, Set<String> knownByServer) {
        var text = new StringBuilder();
        all.forEach((name, value) -> {
            if (fixed(name) && !OF_THE_REQUEST.contains(name) && !knownByServer.contains(name)) return;
            text.append(text.isEmpty() ? "" : "&")
                    .append(encoded(name))
                    .append('=')
                    .append(encoded(value));
        });
        return text.append("&insert_deduplication_token=").toString();
    }

    private static String statement(String table, @Nullable TableLayout layout) {
        return layout == null
                ? "INSERT INTO " + quoted(table) + " FORMAT JSONEachRow"
                : "INSERT INTO " + quoted(table) + " (" + layout.quotedColumns() + ") FORMAT " + layout.format();
    }

    private static boolean fixed(String name) {
        return FIXED.containsKey(name) || OF_TYPED_ROWS.containsKey(name);
    }

    private static Map<String, String> ofTypedRows() {
        var all = new LinkedHashMap<String, String>();
        all.put(HEADER_COUNTS, "1");
        all.put("input_format_with_names_use_header", "1");
        all.put("input_format_binary_decode_types_in_binary_format", "0");
        all.put("input_format_binary_read_json_as_string", "1");
        all.put("format_binary_max_string_size", "1073741824");
        all.put("format_binary_max_array_size", "1073741824");
        return all;
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
        all.put("max_insert_block_size", Integer.toString(BLOCK_ROWS));
        all.put("max_insert_block_size_bytes", "0");
        all.put("min_insert_block_size_rows", Integer.toString(BLOCK_ROWS));
        all.put("min_insert_block_size_bytes", "0");
        all.put("use_strict_insert_block_limits", "0");
        all.put("input_format_max_block_size_bytes", "0");
        all.put("input_format_max_block_wait_ms", "0");
        all.put("input_format_connection_handling", "0");
        all.put("input_format_parallel_parsing", "0");
        all.put("input_format_allow_errors_num", "0");
        all.put("input_format_allow_errors_ratio", "0");
        all.put("input_format_null_as_default", "0");
        all.put("input_format_column_name_matching_mode", "match_case");
        all.put("input_format_json_ignore_unnecessary_fields", "0");
        all.put("input_format_defaults_for_omitted_fields", "1");
        all.put("input_format_json_throw_on_bad_escape_sequence", "1");
        all.put("date_time_overflow_behavior", "throw");
        all.put("throw_if_no_data_to_insert", "1");
        all.put("materialized_views_ignore_errors", "0");
        all.put("send_progress_in_http_headers", "0");
        return all;
    }

    /// All that a server is asked about before: what it doesn't know is not sent.
    static SortedSet<String> asked() {
        var all = new TreeSet<>(FIXED.keySet());
        all.addAll(OF_TYPED_ROWS.keySet());
        all.removeAll(OF_THE_REQUEST);
        all.addAll(NEEDED);
        return all;
    }

    /// Settings that go with every insert, as far as a server knows them, without the token.
    static SortedMap<String, String> told(ClickHouseSettings settings) {
        var all = new TreeMap<>(FIXED);
        all.keySet().removeAll(OF_THE_REQUEST);
        if (typed(settings)) all.putAll(OF_TYPED_ROWS);
        all.put("input_format_skip_unknown_fields", skipsUnknown(settings));
        all.putAll(settings.extra());
        return all;
    }

    private static boolean typed(ClickHouseSettings settings) {
        return settings.rows().format() == Format.ROW_BINARY;
    }

    /// Of typed rows the server must refuse a header that names a column it has no longer.
    private static String skipsUnknown(ClickHouseSettings settings) {
        return settings.rows().unknownFields() == UnknownFields.IGNORE && !typed(settings) ? "1" : "0";
    }

    /// The URL's query for a batch of this token.
    String query(Token token) {
        return fixedPart + encoded(token.text());
    }

    /// What every body begins with.
    byte[] prefix() {
        return prefix.clone();
    }

    /// Throws `IllegalArgumentException` where the sink owns the setting, and for what names none.
    static void mustBeFree(String name) {
        if (!NAME.matcher(name).matches())
            throw new IllegalArgumentException("clickhouse.settings: a setting's name is made of a-z, 0-9 and _");
        if (fixed(name) || OWNED.contains(name) || OWNED_LIKE.matcher(name).matches())
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
