package dev.millrace.cli;

import dev.millrace.config.Configuration;
import dev.millrace.pipeline.ExitCode;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `millrace schema`: prints the JSON Schema of a pipeline's file, with which an editor completes and checks keys.
@Command(name = "schema", description = "Print the JSON Schema of a pipeline's file, for editors.")
final class SchemaCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        if (spec == null) throw new IllegalStateException("not called by the command line");
        var out = spec.commandLine().getOut();
        out.print(Configuration.schema());
        out.flush();
        return ExitCode.DRAINED.code();
    }
}
