package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.Size;

/// Whatever the file holds, reading it gives a configuration or problems, and never throws.
@Tag("CFG-1")
@Tag("CFG-6")
class GarbageTest {
    private static final String FULL = PipelineText.postgres()
            .root("""
                    format: { json: { on_tombstone: skip } }
                    route: { key: kafka_key, hash: murmur2 }
                    poison: { action: stop }
                    checkpoint: { interval: 5s, max_pending: 1024, stalled_fail_after: 2m }
                    admission: { max_bytes: 1GiB, max_rows: 5000000, resume_below: 60% }
                    drain: { timeout: 25s, report: stdout }
                    admin: { listen: 127.0.0.1:9090 }
                    """)
            .kafka(
                    "consumers: 1\nrebalance: { drain_timeout: 5s }\nproperties: { client.id: \"${NAME}\", ssl.key.password: x }")
            .sink("""
                    batch:    { max_rows: 500000, max_bytes: 64MiB, linger: 2s }
                    chunk:    { target_bytes: 128KiB, linger: 20ms }
                    retry:    { initial: 100ms, max: 10s, multiplier: 2.0, jitter: 0.2, max_attempts: unlimited }
                    breaker:
                      failure_rate: 50%
                      slow_call: { longer_than: 20s, rate: 80% }
                      open_for: 5s
                    """)
            .text();
    private static final List<String> SNIPPETS = List.of(
            "[",
            "]",
            "{",
            "}",
            ":",
            ": ",
            "- ",
            "? ",
            "\n",
            "\r",
            "\t",
            "  ",
            "#",
            "&a ",
            "*a",
            "!!str ",
            "!x ",
            "|",
            ">",
            "|-\n",
            "'",
            "\"",
            "%",
            "@",
            "`",
            "---\n",
            "...\n",
            "${",
            "}",
            "$$",
            "${NAME}",
            "${file:/dev/null}",
            "${file:/proc/self/mem}",
            "~",
            "null",
            "\\",
            "\\u0000",
            ",",
            "<<: ",
            "0",
            "-1",
            "99999999999999999999",
            "1e3",
            "NaN",
            "5",
            "5s",
            "0s",
            "64MiB",
            "0%",
            "100%",
            "\uFEFF",
            "\u0000",
            "\u2028",
            "\uD83D\uDE00",
            "\uD800",
            "é",
            "%YAML 1.2\n---\n");

    @Property(tries = 1500)
    void aMutatedFileIsReadOrRefused(@ForAll("seeds") long seed) {
        var text = mutated(new Random(seed));
        check(Configuration.read("pipeline.yaml", text, PipelineText.ENV::get));
    }

    @Property(tries = 300)
    void bytesAreReadOrRefused(@ForAll @Size(max = 300) byte[] bytes) {
        check(Configuration.read("pipeline.yaml", bytes, PipelineText.ENV::get));
    }

    @Property(tries = 500)
    void snippetsAreReadOrRefused(@ForAll("snippets") String text) {
        check(Configuration.read("pipeline.yaml", text.getBytes(StandardCharsets.UTF_8), PipelineText.ENV::get));
    }

    @Provide
    Arbitrary<Long> seeds() {
        return Arbitraries.longs();
    }

    @Provide
    Arbitrary<String> snippets() {
        return Arbitraries.of(SNIPPETS).list().ofMaxSize(30).map(all -> String.join("", all));
    }

    private static void check(ReadResult result) {
        switch (result) {
            case ReadResult.Loaded(var config, var warnings) -> {
                assertThat(config.sinks()).isNotEmpty();
                assertThat(warnings).isSortedAccordingTo(Problem.BY_PLACE);
            }
            case ReadResult.Refused(var problems) -> {
                assertThat(problems).isNotEmpty().isSortedAccordingTo(Problem.BY_PLACE);
                for (var problem : problems) {
                    assertThat(problem.line()).isPositive();
                    assertThat(problem.text()).doesNotContain("\n", "\r", "\u0000", "hunter2");
                }
            }
        }
    }

    /// Lines and characters taken out, doubled, swapped and replaced.
    private static String mutated(Random random) {
        var lines = new ArrayList<>(FULL.lines().toList());
        for (int i = random.nextInt(4); i > 0; i--) {
            int at = random.nextInt(lines.size());
            switch (random.nextInt(4)) {
                case 0 -> lines.remove(at);
                case 1 -> lines.add(at, lines.get(random.nextInt(lines.size())));
                case 2 -> lines.set(at, "  " + lines.get(at));
                default -> lines.set(at, lines.get(at).stripLeading());
            }
        }
        var text = new StringBuilder(String.join("\n", lines));
        for (int i = random.nextInt(4); i > 0; i--) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(3)) {
                case 0 -> text.deleteCharAt(at);
                case 1 -> text.insert(at, SNIPPETS.get(random.nextInt(SNIPPETS.size())));
                default ->
                    text.replace(
                            at,
                            Math.min(text.length(), at + random.nextInt(12)),
                            SNIPPETS.get(random.nextInt(SNIPPETS.size())));
            }
        }
        return text.toString();
    }
}
