package dev.millrace.bench;

import dev.millrace.lab.ChildJvm;
import java.time.Duration;
import java.util.List;

/// A process of the suite: the bare loop, one program of the pipeline, or a server that discards. It lives for
/// many readings, so that it is warm, and compiles for nobody else. Its objects have headers as the launcher's have.
///
/// Thread ownership: the command's thread.
final class Station implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMinutes(6);

    private final String name;
    private final ChildJvm child;

    private Station(String name, ChildJvm child) {
        this.name = name;
        this.child = child;
    }

    /// `work` is what [StationMain] takes.
    static Station start(String name, String work, int heapMegabytes) {
        return new Station(
                name,
                ChildJvm.start(
                        name,
                        List.of(
                                "-Xms" + heapMegabytes + "m",
                                "-Xmx" + heapMegabytes + "m",
                                "-XX:+UseCompactObjectHeaders",
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow"),
                        StationMain.class,
                        List.of(work),
                        StationMain.READY));
    }

    long pid() {
        return child.pid();
    }

    Words ask(Words question) throws InterruptedException {
        var answer = Words.parse(child.ask(question.line(), LIMIT));
        if (answer.has(StationMain.FAILED)) throw new BenchFailure(name + ": " + answer.text(StationMain.FAILED));
        return answer;
    }

    @Override
    public void close() {
        child.stop();
    }
}
