package dev.millrace.config;

import dev.millrace.config.ChoiceType.Choice;
import java.util.ArrayList;
import java.util.List;

/// Makes the page of all settings from their declarations.
final class SettingsPage {
    private static final String HEAD = """
            # Settings

            Every key of a pipeline's file. This page is made from the declarations that the reader itself uses, and a test holds
            it to them. `pipeline.example.yaml` shows the file as a whole; `pipeline.schema.json`, which `millrace schema` prints,
            is for editors; `millrace explain FILE` tells what a file comes to and where each value comes from.

            - One file is one pipeline. A key that is not listed here is an error, and so is a key that stands twice.
            - A value may hold `${VAR}`, `${VAR:-default}`, `${VAR:?message}` and `${file:/path}`; `$$` is a `$`.
            - Durations are `250ms`, `5s`, `2m`, `1h`; sizes `512B`, `64KiB`, `128MiB`, `1GiB`; percentages `60%`. A number
              without its unit is an error.
            - `<name>` is a name that you give.
            """;
    private static final String SCHEMA = """

            ## In an editor

            Begin the file with `# yaml-language-server: $schema=pipeline.schema.json`, or the path to where the schema is.
            It accepts what Millrace accepts, with two exceptions: a text that looks like a number, such as a group id `2024`,
            must be in quotes there, and a number must not be. Bounds of durations, sizes and percentages, and what cannot work
            together, only `millrace validate` knows.
            """;
    private static final String TABLE = """

            | key | value | when left out | what it is |
            |---|---|---|---|
            """;

    private final StringBuilder page = new StringBuilder();
    private final List<String> coming = new ArrayList<>();

    static String text() {
        return new SettingsPage().whole();
    }

    private String whole() {
        page.append(HEAD);
        for (var key : PipelineKeys.ROOT.keys()) {
            if (key instanceof Key.Unbuilt unbuilt) {
                unbuilt(unbuilt.name(), unbuilt.part());
                continue;
            }
            page.append("\n## ").append(key.name()).append('\n');
            if (!(key instanceof Key.Setting<?>)) page.append('\n').append(sentence(key.doc()));
            page.append(TABLE);
            key(key, key.name());
        }
        page.append("\n## Kafka client settings\n\nThese may stand in `source.kafka.properties`:\n\n");
        KafkaClientKeys.allowed()
                .forEach(name -> page.append("- `").append(name).append("`\n"));
        page.append(SCHEMA);
        page.append(
                "\n## Not built yet\n\nUntil then each of these is an error.\n\n| key or value | comes with |\n|---|---|\n");
        coming.forEach(page::append);
        return page.toString();
    }

    private void key(Key key, String path) {
        switch (key) {
            case Key.Setting<?> setting -> setting(setting, path);
            case Key.Section section -> section(section, path);
            case Key.NamedSections named -> below(named.each(), path + ".<name>");
            case Key.Unbuilt unbuilt -> unbuilt(path, unbuilt.part());
        }
    }

    private void section(Key.Section section, String path) {
        if (section.keys().isEmpty()) row(path, "a section, with nothing below", "it does not count", section.doc());
        below(section, path);
    }

    private void below(Key.Section section, String path) {
        if (!section.oneOf().sections().isEmpty()) {
            var names = section.oneOf().sections().stream()
                    .map(s -> "`" + s.name() + "`")
                    .toList();
            var otherwise = section.oneOf().otherwise();
            row(
                    path,
                    "a section with one of " + String.join(", ", names),
                    otherwise == null ? "required" : "`" + otherwise.name() + "`",
                    section.doc());
        }
        for (var key : section.keys()) key(key, path + "." + key.name());
    }

    private void setting(Key.Setting<?> setting, String path) {
        var leftOut = switch (setting.absence()) {
            case Absence.Refused _ -> "required";
            case Absence.Default(var text) -> "`" + text + "`";
            case Absence.NoValue(var meaning) -> meaning;
        };
        var applies = setting.applies().text();
        row(
                path,
                setting.type().expected(),
                leftOut,
                applies.isEmpty() ? setting.doc() : setting.doc() + " (" + applies + ")");
        if (!(setting.type() instanceof ChoiceType<?>(var choices))) return;
        for (var choice : choices) {
            if (choice instanceof Choice.Unbuilt<?>(var word, var part)) unbuilt(path + ": " + word, part);
        }
    }

    private void row(String path, String value, String leftOut, String doc) {
        page.append("| `").append(path).append("` | ");
        page.append(cell(value)).append(" | ");
        page.append(cell(leftOut)).append(" | ");
        page.append(cell(doc)).append(" |\n");
    }

    private void unbuilt(String path, Part part) {
        coming.add("| `" + path + "` | " + part.title() + " |\n");
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*");
    }

    private static String sentence(String doc) {
        return Character.toUpperCase(doc.charAt(0)) + doc.substring(1) + ".\n";
    }
}
