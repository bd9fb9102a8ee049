package dev.millrace.pipeline;

import dev.millrace.config.BlackholeConfig;
import dev.millrace.config.ClickHouseConfig;
import dev.millrace.config.HttpConfig;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.PostgresConfig;
import dev.millrace.httpclient.Compression;
import dev.millrace.sinkpool.Finding;
import java.util.ArrayList;
import java.util.List;

/// Whether this process can pack rows as the file's sinks say: what keeps it from that is here, and would look like
/// servers that do not answer.
final class Packers {
    private Packers() {}

    static List<Finding> look(PipelineConfig config) {
        var found = new ArrayList<Finding>();
        for (var sink : config.sinks()) {
            var where = "sinks." + sink.name() + ".";
            switch (sink.kind()) {
                case ClickHouseConfig clickhouse ->
                    look(
                            where + "clickhouse.compression",
                            Wiring.clickhouse(sink, clickhouse).compression(),
                            found);
                case HttpConfig http ->
                    look(
                            where + "http.compression",
                            Wiring.http(config, sink, http).request().compression(),
                            found);
                case PostgresConfig _, BlackholeConfig _ -> {}
            }
        }
        return found;
    }

    private static void look(String where, Compression how, List<Finding> found) {
        var why = how.missing();
        if (why != null)
            found.add(Finding.fault(
                    where,
                    how.encoding() + " can't be loaded here: " + why,
                    "let " + System.getProperty("java.io.tmpdir") + " have room and exec, or name another folder by"
                            + " MILLRACE_JAVA_OPTS=-Djava.io.tmpdir=FOLDER"));
    }
}
