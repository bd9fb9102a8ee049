package dev.millrace.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A JVM that this one has started, on its Java and class path, and that may be killed.
///
/// Its main class must say one agreed line when it is ready, and end when its standard input does: so it
/// ends when this JVM does, however this JVM ends. What it says goes nowhere, except into the message
/// when it does not start.
///
/// Thread ownership: any thread.
public final class ChildJvm {
    /// What a line of its output begins with that answers a question of [#ask].
    public static final String ANSWER = "millrace answers ";

    private static final int LIMIT_SECONDS = 60;

    private final String name;
    private final Process process;
    private final ChildOutput output;

    private ChildJvm(String name, Process process, String readyLine) {
        this.name = name;
        this.process = process;
        output = new ChildOutput(process.inputReader(), readyLine);
    }

    /// Returns when it has said that it is ready; gives up after a minute.
    ///
    /// @param name what messages call it, such as `broker`
    public static ChildJvm start(
            String name, List<String> flags, Class<?> main, List<String> arguments, String readyLine) {
        var child = new ChildJvm(name, spawn(flags, main, arguments), readyLine);
        var output = child.output;
        // Not a virtual one: it reads a pipe, which holds its carrier, and few children would hold them all.
        Thread.ofPlatform().daemon().name(name + "-output").start(output);
        if (ready(output)) return child;
        child.kill();
        throw new LabException("the " + name + " process did not start with " + arguments + ":\n" + output.lastLines());
    }

    private static Process spawn(List<String> flags, Class<?> main, List<String> arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot run " + command.getFirst(), failure);
        }
    }

    private static boolean ready(ChildOutput output) {
        try {
            return output.said().get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException failure) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException failure) {
            return false;
        }
    }

    public boolean running() {
        return process.isAlive();
    }

    /// The system's number of it.
    public long pid() {
        return process.pid();
    }

    /// Says one line to a child that answers each, and returns what follows [#ANSWER] in its answer.
    /// One question at a time. Throws with its last lines when it ends, or says nothing in time.
    public String ask(String question, Duration limit) throws InterruptedException {
        try {
            var input = process.getOutputStream();
            input.write((question + "\n").getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException gone) {
            throw new LabException("the " + name + " process is gone:\n" + output.lastLines(), gone);
        }
        return output.answer(limit)
                .orElseThrow(() -> new LabException("the " + name + " process has not answered " + question + " in "
                        + limit.toSeconds() + " s, or ended:\n" + output.lastLines()));
    }

    /// SIGKILL. Returns when it is gone.
    public void kill() {
        awaitEnd(process.destroyForcibly());
    }

    /// A line on its standard input, by which it can tell this end from its parent's death, and SIGTERM.
    /// Returns when it is gone.
    public void stop() {
        try (var input = process.getOutputStream()) {
            input.write('\n');
        } catch (IOException gone) {
            // It reads no more: it is ending by itself.
        }
        process.destroy();
        awaitEnd(process);
    }

    private void awaitEnd(Process ending) {
        try {
            if (!ending.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new LabException(name + " process " + ending.pid() + " did not end in " + LIMIT_SECONDS + " s");
            }
        } catch (InterruptedException failure) {
            Thread.currentThread().interrupt();
            ending.destroyForcibly();
            throw new LabException("interrupted while " + name + " process " + ending.pid() + " ended", failure);
        }
    }
}
