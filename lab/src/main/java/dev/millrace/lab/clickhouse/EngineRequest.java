package dev.millrace.lab.clickhouse;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/// One statement for an engine, as it goes over the socket between a front and the engine's process.
///
/// @param database the one that names without a database mean; empty for the engine's default
/// @param settings for this statement alone, in this order
/// @param sql without `FORMAT` if rows follow
/// @param format of the rows that follow, or, if none do, of the answer
/// @param rows whether rows follow: blocks of bytes, each after its length, the last of length 0. An end
///     without that block cancels the insert
record EngineRequest(String database, Map<String, String> settings, String sql, String format, boolean rows) {
    EngineRequest {
        settings = new LinkedHashMap<>(settings);
    }

    void write(DataOutputStream out) throws IOException {
        write(out, database);
        out.writeInt(settings.size());
        for (var setting : settings.entrySet()) {
            write(out, setting.getKey());
            write(out, setting.getValue());
        }
        write(out, sql);
        write(out, format);
        out.writeBoolean(rows);
    }

    static EngineRequest read(DataInputStream in) throws IOException {
        String database = text(in);
        var settings = new LinkedHashMap<String, String>();
        for (int left = in.readInt(); left > 0; left--) settings.put(text(in), text(in));
        return new EngineRequest(database, settings, text(in), text(in), in.readBoolean());
    }

    static void write(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    static String text(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
