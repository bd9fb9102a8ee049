package dev.millrace.cli;

import dev.millrace.config.LoggingConfig;
import dev.millrace.pipeline.ExitCode;
import dev.millrace.testkit.RunLedger;
import dev.millrace.testkit.Seeds;
import dev.millrace.testkit.Shrunk;
import dev.millrace.testkit.Simulation;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `millrace simulate`: the production machines under seeded faults, in virtual time.
@Command(
        name = "simulate",
        description = {
            "Run what decides in Millrace under seeded faults, in virtual time and on fake parts, and look for a record",
            "that is lost. A seed that finds something is made as small as it gets. Needs no network."
        })
final class SimulateCommand implements Callable<Integer> {
    private static final int FOUND = 1;

    @Option(
            names = "--seeds",
            defaultValue = "20000",
            description = "how many seeds to run (default: ${DEFAULT-VALUE})")
    private long seeds;

    @Option(names = "--from", defaultValue = "0", description = "the first of them (default: ${DEFAULT-VALUE})")
    private long from;

    @Option(names = "--seed", description = "run this one only, and print its trace")
    private @Nullable Long seed;

    @Option(names = "--threads", description = "how many seeds to run at a time (default: as many as there are cores)")
    private @Nullable Integer threads;

    @Option(names = "--json", paramLabel = "FILE", description = "write the numbers of the summary there too")
    private @Nullable Path json;

    @Option(
            names = "--keep",
            paramLabel = "FILE",
            description = "add the run to this list of runs; of a build of a commit without changes only")
    private @Nullable Path keep;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        if (spec == null) throw new IllegalStateException("not called by the command line");
        var workers = threads == null ? Runtime.getRuntime().availableProcessors() : threads;
        var refusal = refusal(workers);
        if (refusal != null) {
            System.err.println(refusal);
            return ExitCode.BAD_CONFIGURATION.code();
        }
        Logs.configure(LoggingConfig.Format.TEXT, LoggingConfig.Level.ERROR);
        var out = spec.commandLine().getOut();
        try {
            return seed == null ? many(workers, out) : one(seed, out);
        } finally {
            out.flush();
        }
    }

    /// What of the options can't be done; null for nothing.
    private @Nullable String refusal(int workers) {
        if (seeds < 1 || workers < 1) return "--seeds and --threads are at least 1";
        if (keep == null) return null;
        if (seed != null) return "--keep: of runs over --seeds, not of a single seed";
        var commit = Version.commit();
        if (!commit.matches("[0-9a-f]{40}"))
            return "--keep: this build is of " + commit + ", not of a commit: commit, and build again";
        try {
            RunLedger.mustBeNew(keep, commit, from, seeds);
            return null;
        } catch (IOException known) {
            return "--keep: " + known.getMessage();
        }
    }

    private static int one(long seed, PrintWriter out) {
        var shrunk = Shrunk.of(seed);
        if (shrunk != null) {
            out.println(shrunk.text());
            return FOUND;
        }
        var report = Simulation.traced(seed);
        out.print(report.trace());
        out.println("seed " + seed + " finds nothing in " + report.steps() + " steps");
        return ExitCode.DRAINED.code();
    }

    private int many(int workers, PrintWriter out) throws IOException, InterruptedException, ExecutionException {
        var began = System.nanoTime();
        var summary = Seeds.run(from, seeds, workers, done -> progress(done, System.nanoTime() - began));
        System.err.println();
        for (var report : summary.found()) out.println(report.violation());
        if (!summary.found().isEmpty()) {
            var first = Shrunk.of(summary.found().getFirst().seed());
            if (first != null) out.println("\nthe first of them, made small:\n" + first.text());
        }
        out.print(summary.text(Version.build()));
        if (keep != null) RunLedger.add(keep, Version.commit(), summary);
        if (json != null) Files.writeString(json, summary.json(Version.build()));
        return summary.holds() ? ExitCode.DRAINED.code() : FOUND;
    }

    private void progress(long done, long nanos) {
        System.err.printf("\r%,d of %,d seeds, %,.0f an hour ", done, seeds, done * 3600e9 / nanos);
    }
}
