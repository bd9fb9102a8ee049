package dev.millrace.cli;

import dev.millrace.config.LoggingConfig;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.PostgresConfig;
import dev.millrace.config.ShardConfig;
import dev.millrace.config.SinkConfig;
import dev.millrace.pipeline.ExitCode;
import dev.millrace.postgres.PostgresSettings;
import dev.millrace.postgres.TokenTables;
import dev.millrace.postgres.TokenTables.Made;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardId;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `millrace init`: makes what effectively-once delivery needs in the databases that a pipeline's file
/// names: the table of tokens, beside the table of each PostgreSQL sink.
@Command(
        name = "init",
        description = {
            "Make the table of tokens that effectively-once delivery needs, in the database of every shard of every",
            "PostgreSQL sink, beside the sink's own table. What is there already stays as it is. Says of each shard what",
            "was done."
        },
        footer = {
            "",
            "Exit codes: 0 every table is there; 2 something has to be mended first, or a wrong file; 5 a database did not",
            "answer."
        })
final class InitCommand implements Callable<Integer> {
    private static final String NOTHING = "no sink is PostgreSQL: there is nothing to make";
    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(10);

    @Parameters(paramLabel = "FILE", description = "the pipeline's YAML file")
    private @Nullable Path file;

    @Option(
            names = {"--print", "--sql"},
            description = "print the SQL, for who may make tables, and connect nowhere")
    private boolean print;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "30s",
            description = "how long all answers are waited for, such as 500ms, 10s or 1m (default: ${DEFAULT-VALUE})")
    private String timeout = "30s";

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        if (spec == null) throw new IllegalStateException("not called by the command line");
        var limit = Examination.limit(timeout, spec);
        var config = file == null ? null : PipelineFile.read(file);
        if (config == null) return ExitCode.BAD_CONFIGURATION.code();
        Logs.configure(config, LoggingConfig.Level.ERROR);
        var out = spec.commandLine().getOut();
        var err = spec.commandLine().getErr();
        try {
            return (print ? print(config, out) : make(config, limit, out, err)).code();
        } finally {
            out.flush();
            err.flush();
        }
    }

    private static ExitCode print(PipelineConfig config, PrintWriter out) {
        var none = true;
        for (var sink : config.sinks()) {
            if (!(sink.kind() instanceof PostgresConfig postgres)) continue;
            none = false;
            for (var shard : sink.shards())
                out.println("-- " + Printable.text(where(sink, shard.name())) + ": in the database at "
                        + Printable.text(shard.endpoints().getFirst().toString()));
            out.println(TokenTables.sql(postgres.table().toString()));
        }
        if (none) out.println("-- " + NOTHING);
        return ExitCode.DRAINED;
    }

    private static ExitCode make(PipelineConfig config, Duration limit, PrintWriter out, PrintWriter err)
            throws InterruptedException {
        var untilNanos = NanoClock.due(NanoClock.SYSTEM.nanoTime(), limit.toNanos());
        var code = ExitCode.DRAINED;
        var none = true;
        for (var sink : config.sinks()) {
            if (!(sink.kind() instanceof PostgresConfig postgres)) continue;
            none = false;
            for (var one : tables(postgres).make(shards(sink), untilNanos).entrySet())
                code = code.or(tell(where(sink, one.getKey().shard()), one.getValue(), out, err));
        }
        if (none) out.println(NOTHING);
        return code;
    }

    private static TokenTables tables(PostgresConfig postgres) {
        var tls = switch (postgres.tls()) {
            case PostgresConfig.Tls.Off() -> new PostgresSettings.Tls.Off();
            case PostgresConfig.Tls.VerifyFull(var caFile) -> new PostgresSettings.Tls.VerifyFull(caFile);
        };
        var login = new PostgresSettings.Login(postgres.user(), postgres.password()::current, tls);
        return new TokenTables(postgres.table().toString(), login, LONGEST_CONNECT, NanoClock.SYSTEM);
    }

    private static Map<ShardId, List<URI>> shards(SinkConfig sink) {
        var shards = new LinkedHashMap<ShardId, List<URI>>();
        for (ShardConfig shard : sink.shards())
            shards.put(
                    new ShardId(sink.name(), shard.name()),
                    shard.endpoints().stream()
                            .map(endpoint -> URI.create(endpoint.toString()))
                            .toList());
        return shards;
    }

    private static String where(SinkConfig sink, String shard) {
        return "sinks." + sink.name() + ".shards." + shard;
    }

    private static ExitCode tell(String shard, Made made, PrintWriter out, PrintWriter err) {
        return switch (made) {
            case Made.Created(var where, var table) -> {
                out.println(line(shard, where, "made table " + table));
                yield ExitCode.DRAINED;
            }
            case Made.Found(var where, var table) -> {
                out.println(line(shard, where, "table " + table + " was there"));
                yield ExitCode.DRAINED;
            }
            case Made.Refused(var where, var reason, var remedy) -> {
                err.println(line(shard, where, reason));
                if (!remedy.isEmpty()) err.println("  do: " + Printable.text(remedy));
                yield ExitCode.BAD_CONFIGURATION;
            }
            case Made.NotReachable(var where, var reason) -> {
                err.println(line(shard, where, reason));
                yield ExitCode.FATAL;
            }
        };
    }

    private static String line(String shard, String where, String what) {
        return Printable.text(shard + " " + where + ": " + what);
    }
}
