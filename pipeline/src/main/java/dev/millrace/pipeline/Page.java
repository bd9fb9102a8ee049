package dev.millrace.pipeline;

import dev.millrace.pipeline.AdminServer.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/// The live page: a few files from the class path, read once. What they show they ask `/status` for.
final class Page {
    private static final Map<String, String> FILES = Map.of(
            "/", "index.html",
            "/page.css", "page.css",
            "/page.js", "page.js",
            "/icon.svg", "icon.svg");

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "svg", "image/svg+xml");

    private Page() {}

    /// By their paths.
    static Map<String, Supplier<Answer>> files() {
        var all = new LinkedHashMap<String, Supplier<Answer>>();
        FILES.forEach((path, file) -> {
            var type = TYPES.getOrDefault(file.substring(file.lastIndexOf('.') + 1), "application/octet-stream");
            var answer = new Answer(200, type, text(file));
            all.put(path, () -> answer);
        });
        return all;
    }

    private static String text(String file) {
        try (var in = Page.class.getResourceAsStream("page/" + file)) {
            if (in == null) throw new IllegalStateException("page/" + file + " is not on the class path");
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException cause) {
            throw new UncheckedIOException(cause);
        }
    }
}
