package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Every link of every page leads somewhere: the file is there, and the heading that it names.
class MarkdownLinksTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final List<String> OUTSIDE_OF_DOCS = List.of("README.md", "SECURITY.md", "deploy/README.md");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");
    private static final Pattern CODE = Pattern.compile("```.*?```|`[^`\n]+`", Pattern.DOTALL);
    private static final Pattern FENCED = Pattern.compile("^```.*?^```", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern HEADING = Pattern.compile("^#{1,6} +(.+?)\\s*$", Pattern.MULTILINE);

    private static List<Path> pages() throws IOException {
        var pages = new ArrayList<Path>();
        for (var page : OUTSIDE_OF_DOCS) pages.add(ROOT.resolve(page));
        try (var below = Files.walk(ROOT.resolve("docs"))) {
            below.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
        }
        return pages;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unread) {
            throw new UncheckedIOException(unread);
        }
    }

    private static Stream<String> links(Path page) {
        return LINK.matcher(CODE.matcher(text(page)).replaceAll("")).results().map(link -> link.group(1));
    }

    /// As GitHub makes them: words in small letters with `-` between, other marks left out, a number behind one that
    /// was there already.
    private static Set<String> anchors(Path page) {
        var anchors = new TreeSet<String>();
        var counts = new HashMap<String, Integer>();
        HEADING.matcher(FENCED.matcher(text(page)).replaceAll("")).results().forEach(heading -> {
            var words = heading.group(1)
                    .replaceAll("\\]\\([^)]*\\)", "]")
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N} _-]", "")
                    .replace(' ', '-');
            var before = counts.merge(words, 1, Integer::sum) - 1;
            anchors.add(before == 0 ? words : words + "-" + before);
        });
        return anchors;
    }

    @Test
    void everyLinkLeadsToAFileAndAHeading() throws IOException {
        var anchors = new HashMap<Path, Set<String>>();
        var wrong = new ArrayList<String>();
        var followed = 0;
        for (var page : pages()) {
            for (var link : links(page).toList()) {
                if (ELSEWHERE.matcher(link).matches()) continue;
                followed++;
                if (!leadsSomewhere(page, link, anchors)) wrong.add(ROOT.relativize(page) + ": " + link);
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(followed).isGreaterThan(150);
    }

    private static boolean leadsSomewhere(Path page, String link, Map<Path, Set<String>> anchors) {
        var at = link.indexOf('#');
        var file = at < 0 ? link : link.substring(0, at);
        var target = file.isEmpty() ? page : page.resolveSibling(file).normalize();
        if (!Files.exists(target)) return false;
        return at < 0
                || anchors.computeIfAbsent(target, MarkdownLinksTest::anchors).contains(link.substring(at + 1));
    }

    @Test
    void everyGuideIsInTheirIndexAndTheIndexIsInTheReadme() throws IOException {
        var guides = ROOT.resolve("docs/guides");
        var listed = links(guides.resolve("README.md")).toList();
        try (var files = Files.list(guides)) {
            files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.equals("README.md"))
                    .forEach(name -> assertThat(listed).contains(name));
        }
        assertThat(links(ROOT.resolve("README.md"))).contains("docs/guides/README.md");
    }
}
