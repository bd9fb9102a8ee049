package dev.millrace.config;

import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/// Which settings of a ClickHouse server a file may name. What touches deduplication, the split into
/// blocks or parsing is the sink's, and what nobody looked at could: so these are listed, and no others
/// pass.
public final class ServerSettings {
    private static final Set<String> ALLOWED = Set.of(
            "cast_keep_nullable",
            "date_time_input_format",
            "http_receive_timeout",
            "http_send_timeout",
            "input_format_import_nested_json",
            "input_format_json_read_arrays_as_strings",
            "input_format_json_read_bools_as_numbers",
            "input_format_json_read_numbers_as_strings",
            "input_format_json_read_objects_as_strings",
            "insert_keeper_max_retries",
            "insert_quorum",
            "insert_quorum_parallel",
            "insert_quorum_timeout",
            "log_comment",
            "log_queries",
            "max_memory_usage",
            "max_partitions_per_insert_block",
            "optimize_on_insert",
            "os_thread_priority",
            "parallel_view_processing",
            "priority",
            "throw_on_max_partitions_per_insert_block");

    private ServerSettings() {}

    /// Sorted.
    public static SortedSet<String> allowed() {
        return new TreeSet<>(ALLOWED);
    }

    /// It says how the server reads JSON.
    static boolean ofParsing(String name) {
        return name.startsWith("input_format_") || name.equals("date_time_input_format");
    }

    static boolean isAllowed(String name) {
        return ALLOWED.contains(name);
    }
}
