package dev.millrace.pipeline;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import java.util.List;

/// What the process itself takes: heap, direct memory, threads, file handles, processor time.
///
/// The names are Micrometer's own, `jvm_…`, `process_…` and `system_…`, since dashboards know them.
///
/// Thread ownership: the thread that starts the pipeline.
final class ProcessMetrics {
    private ProcessMetrics() {}

    static void register(MeterRegistry registry) {
        List.of(
                        new JvmMemoryMetrics(),
                        new JvmThreadMetrics(),
                        new FileDescriptorMetrics(),
                        new ProcessorMetrics(),
                        new UptimeMetrics())
                .forEach(binder -> binder.bindTo(registry));
    }
}
