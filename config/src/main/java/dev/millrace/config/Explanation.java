package dev.millrace.config;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Collectors;

/// Tells the effective configuration of a file without problems: what is in effect, and where each
/// value comes from.
///
/// Invariant: no secret is in it, neither what is one by its key nor what came from a `${file:}`. With
/// these filled in, its text is a file that reads to the same configuration.
///
/// Thread ownership: the thread that reads the file.
final class Explanation {
    private final String file;
    private final Values root;
    private final Interpolation interpolation;
    private final Outline outline = new Outline();

    Explanation(String file, Values root, Interpolation interpolation) {
        this.file = Text.printable(file, 500);
        this.root = root;
        this.interpolation = interpolation;
    }

    String text() {
        outline.line(0, "# What " + file + " comes to. Behind each value: where it comes from.");
        section(PipelineKeys.ROOT, root, 0);
        return outline.text();
    }

    private void section(Key.Section section, Values values, int depth) {
        var chosen = section.oneOf().chosen(values);
        for (var key : section.keys()) {
            switch (key) {
                case Key.Setting<?> setting -> setting(setting, values, depth);
                case Key.Section below -> {
                    if (!section.oneOf().holds(below) || below.equals(chosen)) below(below, values.get(below), depth);
                }
                case Key.NamedSections named -> {
                    outline.line(depth, named.name() + ":");
                    for (var one : values.get(named)) {
                        outline.line(depth + 1, YamlScalar.of(one.name()) + ":");
                        section(named.each(), one.values(), depth + 2);
                    }
                }
                case Key.Unbuilt _ -> {}
            }
        }
    }

    private void below(Key.Section section, Values values, int depth) {
        if (!values.present() && section.hasRequired()) {
            outline.line(depth, "# " + section.name() + " is left out: there is none");
        } else if (section.keys().isEmpty()) {
            outline.line(depth, section.name() + ": {}", at(values.place()));
        } else {
            outline.line(depth, section.name() + ":");
            section(section, values, depth + 1);
        }
    }

    private <T> void setting(Key.Setting<T> setting, Values values, int depth) {
        if (!counts(setting, values)) return;
        var value = values.find(setting);
        write(setting, values, depth);
        if (setting.type() instanceof KafkaPropertiesType)
            clientDefaults(
                    value != null && value.value() instanceof KafkaProperties given ? given : KafkaProperties.NONE,
                    values.get(SourceKeys.GROUP_PROTOCOL),
                    depth + 1);
    }

    /// In comments, as the file need not say the first, and may not say the second.
    private void clientDefaults(KafkaProperties given, KafkaSourceConfig.GroupProtocol protocol, int depth) {
        KafkaClientDefaults.givingWay().forEach((name, value) -> {
            if (!given.names().contains(name)) clientDefault(name, value, KafkaClientDefaults.origin(name), depth);
        });
        KafkaClientDefaults.owned(protocol)
                .forEach((name, value) -> clientDefault(name, value, "owned by millrace", depth));
        outline.line(depth, "# every other one: kafka-clients' own default");
    }

    private void clientDefault(String name, String value, String origin, int depth) {
        outline.line(depth, "# " + name + ": " + YamlScalar.of(value), origin);
    }

    private <T> void write(Key.Setting<T> setting, Values values, int depth) {
        var value = values.find(setting);
        switch (setting.absence()) {
            case Absence.Default(var text)
            when value != null && !value.given() ->
                outline.line(depth, setting.name() + ": " + YamlScalar.of(text), "default");
            case Absence.NoValue(var meaning)
            when value == null -> outline.line(depth, "# " + setting.name() + " is left out: " + meaning);
            case Absence.Default _, Absence.NoValue _, Absence.Refused _ -> given(setting, values, depth);
        }
    }

    private <T> void given(Key.Setting<T> setting, Values values, int depth) {
        var value = values.find(setting);
        if (value == null || value.node() == null) {
            throw new IllegalStateException(values.path() + "." + setting.name() + " was not read");
        }
        if (!byName(setting.type())) {
            node(setting.name(), value.node(), setting.secret(), depth);
        } else if (value.node() instanceof ConfigNode.Mapping(var _, var entries) && !entries.isEmpty()) {
            outline.line(depth, setting.name() + ":");
            entries.forEach(entry -> node(entry.key(), entry.value(), secret(setting.type(), entry.key()), depth + 1));
        } else {
            outline.line(depth, setting.name() + ": {}", at(value.place()));
        }
    }

    private static boolean secret(ValueType<?> type, String key) {
        return type instanceof HeadersType ? HeadersType.isSecret(key) : KafkaClientKeys.isSecret(key);
    }

    private static boolean byName(ValueType<?> type) {
        return type instanceof KafkaPropertiesType
                || type instanceof ServerSettingsType
                || type instanceof VerdictsType
                || type instanceof HeadersType;
    }

    private boolean counts(Key.Setting<?> setting, Values values) {
        return switch (setting.applies()) {
            case Applies.Always _ -> true;
            case Applies.With(var other) -> values.find(other) != null;
            case Applies.Without(var other) -> values.find(other) == null;
            case Applies.WithWord(var other, var word) -> hasWord(other, word, values);
            case Applies.InFormat(var format) ->
                format.equals(SourceKeys.FORMAT.oneOf().chosen(root.get(SourceKeys.FORMAT)));
        };
    }

    private static <T> boolean hasWord(Key.Setting<T> setting, String word, Values values) {
        var value = values.orNull(setting);
        return value != null && value.equals(setting.valueOf(word));
    }

    /// What stands in the file, with variables filled in: a list on one line, a mapping on a line
    /// for each of its keys.
    private void node(String name, ConfigNode node, boolean secret, int depth) {
        var start = YamlScalar.of(name) + ":";
        switch (node) {
            case ConfigNode.Scalar scalar -> {
                var text = filled(scalar, secret);
                outline.line(depth, start + " " + shown(text), origin(node.place(), text.brought()));
            }
            case ConfigNode.Sequence(var place, var items) -> {
                var texts = new ArrayList<Text>();
                for (var item : items) {
                    if (item instanceof ConfigNode.Scalar scalar) texts.add(filled(scalar, secret));
                }
                var list = texts.stream().map(Explanation::shown).collect(Collectors.joining(", ", "[", "]"));
                var brought = texts.stream().flatMap(t -> t.brought().stream()).toList();
                outline.line(depth, start + " " + list, origin(place, brought));
            }
            case ConfigNode.Mapping(var _, var entries) -> {
                outline.line(depth, start);
                for (var entry : entries) node(entry.key(), entry.value(), secret, depth + 1);
            }
            case ConfigNode.Broken broken -> throw new IllegalStateException("a problem was not told: " + broken);
        }
    }

    private Text filled(ConfigNode.Scalar scalar, boolean secret) {
        return switch (interpolation.fill(scalar.text(), secret)) {
            case Parsed.Good<Text>(var text) -> text;
            // It was filled in a moment ago: a secret's file went away, or changed, since.
            case Parsed.Bad<Text> _ -> new Text("", scalar.text(), List.of(), true);
        };
    }

    private static String shown(Text text) {
        return text.secret() || text.fromFile() ? "***" : YamlScalar.of(text.value());
    }

    private String origin(Place place, List<Brought> brought) {
        var parts = new LinkedHashSet<String>();
        parts.add(at(place));
        brought.forEach(one -> parts.add(one.text()));
        return String.join(", ", parts);
    }

    private String at(Place place) {
        return file + ":" + place.line();
    }
}
