package dev.millrace.cli.proof;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/// A headless Chromium with one page, spoken to by its DevTools protocol.
///
/// Thread ownership: the test's thread.
final class Chromium implements AutoCloseable {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration CLOSE = Duration.ofSeconds(5);
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final AtomicInteger asked = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final WebSocket socket;

    private Chromium(Process process, Path profile) throws Exception {
        this.process = process;
        var port = profile.resolve("DevToolsActivePort");
        Deadline.in(LONG)
                .until(
                        "Chromium listens",
                        () -> Files.exists(port) && Files.readAllLines(port).size() == 2,
                        () -> read(profile.resolve("log")));
        var address = "http://127.0.0.1:" + Files.readAllLines(port).getFirst() + "/json/list";
        var pages = JSON.readTree(
                client.send(HttpRequest.newBuilder(URI.create(address)).build(), HttpResponse.BodyHandlers.ofString())
                        .body());
        var page = StreamSupport.stream(pages.spliterator(), false)
                .filter(target -> target.at("/type").asText().equals("page"))
                .findFirst()
                .orElseThrow();
        socket = client.newWebSocketBuilder()
                .buildAsync(URI.create(page.at("/webSocketDebuggerUrl").asText()), new Ear())
                .get(LONG.toSeconds(), TimeUnit.SECONDS);
        for (var domain : List.of("Page", "Runtime", "Log", "Accessibility")) call(domain + ".enable", Map.of());
    }

    /// Where there is one; null where there is none.
    static @Nullable Path program() {
        return NAMES.stream()
                .flatMap(name -> Stream.of(System.getenv("PATH").split(":", -1)).map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }

    static Chromium launch(Path program, Path profile) throws Exception {
        var process = new ProcessBuilder(
                        program.toString(),
                        "--headless=new",
                        // Tests may run as root; the one page that it opens is ours.
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--disable-extensions",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--hide-scrollbars",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectErrorStream(true)
                .redirectOutput(profile.resolve("log").toFile())
                .start();
        try {
            return new Chromium(process, profile);
        } catch (Exception failed) {
            end(process);
            throw failed;
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException missing) {
            return missing.toString();
        }
    }

    void open(String url) throws Exception {
        call("Page.navigate", Map.of("url", url));
    }

    /// As a screen of that size and those colours.
    void screen(int width, int height, boolean dark) throws Exception {
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
        call(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    /// Presses the tabulator.
    void tab() throws Exception {
        press(Map.of("key", "Tab", "windowsVirtualKeyCode", 9));
    }

    /// Presses the enter key.
    void enter() throws Exception {
        press(Map.of("key", "Enter", "text", "\r", "windowsVirtualKeyCode", 13));
    }

    private void press(Map<String, ?> key) throws Exception {
        for (var type : List.of("keyDown", "keyUp")) {
            var event = new HashMap<String, Object>(key);
            event.put("type", type);
            call("Input.dispatchKeyEvent", event);
        }
    }

    /// Somebody turns to the page: it asks at once how things stand, and not only when its time has come.
    void comesBack() throws Exception {
        run("document.dispatchEvent(new Event('visibilitychange'))");
    }

    /// What a script in the page gives.
    JsonNode run(String script) throws Exception {
        return call("Runtime.evaluate", Map.of("expression", script, "returnByValue", true))
                .at("/result/value");
    }

    /// What a screen reader is given: each node's role and name, in order, `role: name`.
    List<String> heard() throws Exception {
        var lines = new ArrayList<String>();
        for (var node : call("Accessibility.getFullAXTree", Map.of()).at("/nodes")) {
            if (node.at("/ignored").asBoolean()) continue;
            lines.add(node.at("/role/value").asText() + ": "
                    + node.at("/name/value").asText());
        }
        return lines;
    }

    /// What the page, or the browser about it, complained of: errors, and what its policy forbids.
    List<String> complaints() {
        return complaints;
    }

    /// Of the whole page, or of what fits the screen.
    void picture(Path file, boolean whole) throws Exception {
        var data = call("Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", whole));
        Files.write(file, Base64.getDecoder().decode(data.at("/data").asText()));
    }

    private JsonNode call(String method, Map<String, ?> parameters) throws Exception {
        var id = asked.incrementAndGet();
        var answer = new CompletableFuture<JsonNode>();
        answers.put(id, answer);
        socket.sendText(JSON.writeValueAsString(Map.of("id", id, "method", method, "params", parameters)), true)
                .get(LONG.toSeconds(), TimeUnit.SECONDS);
        var told = answer.get(LONG.toSeconds(), TimeUnit.SECONDS);
        if (told.has("error")) throw new AssertionError(method + ": " + told);
        return told.at("/result");
    }

    private void heard(JsonNode message) {
        if (message.has("id")) {
            var answer = answers.remove(message.at("/id").asInt());
            if (answer != null) answer.complete(message);
            return;
        }
        switch (message.at("/method").asText()) {
            case "Runtime.exceptionThrown" -> complaints.add(message.toString());
            case "Log.entryAdded" -> {
                if (message.at("/params/entry/level").asText().equals("error")) complaints.add(message.toString());
            }
            default -> {}
        }
    }

    private final class Ear implements WebSocket.Listener {
        private final StringBuilder parts = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            parts.append(part);
            if (last) {
                try {
                    heard(JSON.readTree(parts.toString()));
                } catch (IOException wrong) {
                    complaints.add(wrong.toString());
                }
                parts.setLength(0);
            }
            return WebSocket.Listener.super.onText(from, part, last);
        }
    }

    @Override
    public void close() {
        try {
            // So that it takes its own files away.
            call("Browser.close", Map.of());
            var _ = process.waitFor(CLOSE.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception failed) {
            throw new AssertionError(failed);
        } finally {
            socket.abort();
            client.shutdownNow();
            end(process);
        }
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly()
                .onExit()
                .orTimeout(LONG.toSeconds(), TimeUnit.SECONDS)
                .join();
    }
}
