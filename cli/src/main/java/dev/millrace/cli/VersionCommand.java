package dev.millrace.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/// `millrace version`: what this is, and what it runs on.
@Command(name = "version", description = "Print the version, and the Java it runs on.")
final class VersionCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        System.out.println("millrace " + Version.number());
        System.out.println("java " + Runtime.version() + " (" + System.getProperty("java.vendor") + ")");
        return 0;
    }
}
