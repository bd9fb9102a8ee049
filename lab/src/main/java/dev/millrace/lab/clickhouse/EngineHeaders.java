package dev.millrace.lab.clickhouse;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/// The headers that the server gives to an answer of the engine.
final class EngineHeaders {
    static final String VERSION_SUFFIX = " (version " + ClickHouseFront.VERSION + " (official build))";

    private static final String TAG = "qhfzsklcbtwmvyra";

    private EngineHeaders() {}

    static Map<String, String> of(RequestHead head, String format, EngineResult.Counts counts) {
        String asked = head.parameter("query_id");
        var headers = new LinkedHashMap<String, String>();
        headers.put("X-ClickHouse-Summary", summary(counts));
        headers.put("Content-Type", contentType(format) + "; charset=UTF-8");
        headers.put("X-ClickHouse-Server-Display-Name", "millrace-lab");
        headers.put("X-ClickHouse-Query-Id", asked.isEmpty() ? UUID.randomUUID().toString() : asked);
        headers.put("X-ClickHouse-Format", format);
        headers.put("X-ClickHouse-Timezone", "UTC");
        headers.put(Answer.EXCEPTION_TAG, TAG);
        headers.put("Keep-Alive", "timeout=30, max=9999");
        return headers;
    }

    private static String contentType(String format) {
        return switch (format) {
            case "JSON", "JSONCompact" -> "application/json";
            case "JSONEachRow" -> "application/x-ndjson";
            case "RowBinary", "RowBinaryWithNamesAndTypes", "Native" -> "application/octet-stream";
            case "CSV", "CSVWithNames" -> "text/csv";
            default -> format.startsWith("TabSeparated") ? "text/tab-separated-values" : "text/plain";
        };
    }

    private static String summary(EngineResult.Counts counts) {
        return "{\"read_rows\":\"" + counts.rowsRead()
                + "\",\"read_bytes\":\"" + counts.bytesRead()
                + "\",\"written_rows\":\"" + counts.rowsWritten()
                + "\",\"written_bytes\":\"" + counts.bytesWritten()
                + "\",\"total_rows_to_read\":\"0\",\"result_rows\":\"" + counts.rowsWritten()
                + "\",\"result_bytes\":\"" + counts.bytesWritten()
                + "\",\"elapsed_ns\":\"" + counts.nanos()
                + "\"}";
    }
}
