package dev.millrace.pipeline;

import dev.millrace.config.PipelineConfig;
import dev.millrace.pipeline.SizingFigure.Unit;
import dev.millrace.pipeline.SizingLoad.Flow;
import dev.millrace.sinkpool.Finding;
import java.util.Locale;

/// What a load takes of processors, by what the suite measured on one machine.
///
/// Thread ownership: the thread that sizes.
final class ProcessorNeed {
    /// Above what was measured: readings of one arm differ by up to so much, and machines by more.
    private static final double MARGIN = 1.5;

    /// A polling thread that is busier than this waits for nobody, and falls behind.
    private static final double BUSY = 0.8;

    private final PipelineConfig config;
    private final SizingLoad load;
    private final Flow flow;
    private final SuiteCosts costs;
    private final SizingSheet sheet;

    ProcessorNeed(PipelineConfig config, SizingLoad load, Flow flow, SuiteCosts costs, SizingSheet sheet) {
        this.config = config;
        this.load = load;
        this.flow = flow;
        this.costs = costs;
        this.sheet = sheet;
    }

    void tell() {
        var process = 0.0;
        var pollThread = 0.0;
        for (var sink : config.sinks()) {
            var nearest = costs.nearest(sink.kind(), config.format());
            var cost = costs.of(nearest.program(), flow.bytesPerRow());
            process += sheet.add(
                    "sinks." + sink.name(),
                    "processor_time",
                    cost.process(),
                    Unit.CPU_SECONDS_PER_GB,
                    nearest.program() + " of docs/benchmarks/suite.csv, on " + costs.machine()
                            + (nearest.whole() ? "" : "; sending to such a store is not in it"));
            pollThread += cost.pollThread();
        }
        var gigabytes = flow.bytesPerSecond() / 1e9;
        var processes = load.processes(config.kafka().consumers());
        sheet.add(
                SizingFigure.PROCESS,
                "cores",
                gigabytes * process * load.headroom() * MARGIN / processes,
                Unit.CORES,
                "GB/s × processor_time of all sinks × headroom × 1.5, which is a margin, ÷ processes: of that machine, so"
                        + " measure on yours");
        var threads = sheet.add(
                SizingFigure.GROUP,
                "polling_threads_busy",
                gigabytes * pollThread * load.headroom(),
                Unit.THREADS,
                "GB/s × what a polling thread took there × headroom");
        if (threads > load.members() * BUSY)
            sheet.add(Finding.hazard(
                    "source.kafka.consumers",
                    String.format(
                            Locale.ROOT,
                            "catching up keeps %.1f polling threads busy, and the group has %d",
                            threads,
                            load.members()),
                    "run " + (long) Math.ceil(threads / BUSY) + " members: raise consumers, or run more processes"));
        if (load.members() > load.partitions())
            sheet.add(Finding.hazard(
                    "source.kafka.consumers",
                    load.members() + " members share " + load.partitions() + " partitions: some have nothing to do",
                    "run at most as many members as there are partitions, or give the topics more"));
    }
}
