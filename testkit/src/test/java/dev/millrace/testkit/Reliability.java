package dev.millrace.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The parts of `docs/reliability.md` that are made from the code. `-Dmillrace.golden.write=true` writes them anew.
final class Reliability {
    static final Path PAGE = Path.of("..", "docs", "reliability.md");
    static final String MUTANTS_HEAD =
            "| planted bug | where | caught by | first seed that does |\n|---|---|---|---|\n";

    private Reliability() {}

    /// What stands in the page between the marks of a part.
    static String part(String name) throws IOException {
        var page = Files.readString(PAGE);
        return page.substring(begin(page, name), end(page, name));
    }

    static boolean isWriting() {
        return Boolean.getBoolean("millrace.golden.write");
    }

    static void writeIfAsked(String name, String text) throws IOException {
        if (!isWriting()) return;
        var page = Files.readString(PAGE);
        Files.writeString(PAGE, page.substring(0, begin(page, name)) + text + page.substring(end(page, name)));
    }

    private static int begin(String page, String name) {
        var mark = "<!-- " + name + " -->\n\n";
        var at = page.indexOf(mark);
        if (at < 0) throw new IllegalStateException(PAGE + " has no part " + name);
        return at + mark.length();
    }

    private static int end(String page, String name) {
        var at = page.indexOf("\n<!-- end of " + name + " -->");
        if (at < 0) throw new IllegalStateException(PAGE + " has no end of part " + name);
        return at;
    }
}
