package dev.millrace.bench;

import dev.millrace.lab.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// The main class of a [Station]: does what each line of its standard input asks for, and answers it with one
/// line; ends with an empty line, or when its parent is gone.
///
/// Its one argument is what it is: `bare`, `pipeline` or `discard`.
final class StationMain {
    static final String READY = "millrace bench station ready";
    static final String FAILED = "failed";

    /// What it is.
    private interface Work {
        Words answer(Words asked) throws InterruptedException;
    }

    private StationMain() {}

    @SuppressWarnings("SystemOut") // the lines its parent waits for
    public static void main(String[] arguments) throws IOException, InterruptedException {
        var work = work(arguments[0]);
        System.out.println(READY);
        System.out.flush();
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (var line = lines.readLine(); line != null && !line.isEmpty(); line = lines.readLine()) {
            System.out.println(ChildJvm.ANSWER + answer(work, line).line());
            System.out.flush();
        }
        System.exit(0);
    }

    private static Words answer(Work work, String line) throws InterruptedException {
        try {
            return work.answer(Words.parse(line));
        } catch (CompletionException failure) {
            return failed(failure.getCause());
        } catch (RuntimeException failure) {
            return failed(failure);
        }
    }

    private static Words failed(@Nullable Throwable failure) {
        if (failure == null) return Words.of(FAILED, "for no reason");
        if (failure instanceof BenchFailure) return Words.of(FAILED, String.valueOf(failure.getMessage()));
        return Words.of(FAILED, failure + " at " + failure.getStackTrace()[0]);
    }

    private static Work work(String what) throws IOException {
        return switch (what) {
            case "bare" -> asked -> new BareLoop(asked).read().words();
            case "pipeline" -> asked -> new PipelineReading(asked).read().words();
            case "discard" -> {
                var server = DiscardServer.start();
                yield asked -> server.told();
            }
            default -> throw new IllegalArgumentException("no station is called " + what);
        };
    }
}
