package dev.millrace.config;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// Goes through the file by its declarations: unknown, missing and unbuilt keys are told, values are read, defaults
/// filled in.
record Walk(Reading reading) {

    /// The root has no name of its own.
    Values root(Key.Section root, ConfigNode node) {
        return present(root, node, node.place(), "");
    }

    private Values present(Key.Section section, ConfigNode node, Place place, String path) {
        var values = new Values(path, place, true);
        switch (node) {
            case ConfigNode.Mapping mapping -> fill(section, mapping, values);
            case ConfigNode.Scalar scalar
            when scalar.isNothing() -> fill(section, new ConfigNode.Mapping(place, List.of()), values);
            case ConfigNode.Scalar _, ConfigNode.Sequence _ -> {
                reading.wrongKind(node, path, "a section: " + names(section) + ", one a line with its value");
                defaults(section, values);
            }
            case ConfigNode.Broken _ -> defaults(section, values);
        }
        return values;
    }

    private void fill(Key.Section section, ConfigNode.Mapping mapping, Values values) {
        defaults(section, values);
        for (var entry : mapping.entries()) {
            var path = join(values.path(), entry.key());
            switch (section.find(entry.key())) {
                case null -> unknown(section, entry, path);
                case Key.Setting<?> setting -> setting(setting, entry, path, values);
                case Key.Section below -> values.put(below, present(below, entry.value(), entry.place(), path));
                case Key.NamedSections below -> values.put(below, named(below, entry, path));
                case Key.Unbuilt unbuilt ->
                    error(entry.place(), path, unbuilt.part().notBuilt() + "; " + unbuilt.remedy());
            }
        }
        for (var key : section.keys()) {
            if (mapping.entries().stream().noneMatch(e -> e.key().equals(key.name()))) missing(key, values);
        }
    }

    private <T> void setting(Key.Setting<T> setting, ConfigNode.Entry entry, String path, Values values) {
        var value = setting.type().read(entry.value(), path, setting.secret(), reading);
        if (value != null) values.put(setting, new Value<>(value, entry.value().place(), path, entry.value()));
        else values.refuse(setting);
    }

    private List<Values.Named> named(Key.NamedSections sections, ConfigNode.Entry entry, String path) {
        var all = new ArrayList<Values.Named>();
        if (!(entry.value() instanceof ConfigNode.Mapping mapping)
                || mapping.entries().isEmpty()) {
            reading.wrongKind(entry.value(), path, "one or more by name, such as warehouse: with its settings below");
            return all;
        }
        for (var one : mapping.entries()) {
            var onePath = join(path, one.key());
            if (!Names.isName(one.key())) {
                error(one.place(), onePath, "is not a name; write " + Names.NAME_RULE);
            }
            var values = present(sections.each(), one.value(), one.place(), onePath);
            all.add(new Values.Named(one.key(), one.place(), values));
        }
        return all;
    }

    /// Defaults of everything below, whether the section stands in the file or not.
    private void defaults(Key.Section section, Values values) {
        for (var key : section.keys()) {
            switch (key) {
                case Key.Setting<?> setting -> fallback(setting, values);
                case Key.Section below -> {
                    var absent = new Values(join(values.path(), below.name()), values.place(), false);
                    defaults(below, absent);
                    values.put(below, absent);
                }
                case Key.NamedSections _, Key.Unbuilt _ -> {}
            }
        }
    }

    private static <T> void fallback(Key.Setting<T> setting, Values values) {
        var value = setting.fallbackValue();
        if (value == null) return;
        values.put(setting, new Value<>(value, values.place(), join(values.path(), setting.name()), null));
    }

    private void missing(Key key, Values values) {
        var path = join(values.path(), key.name());
        switch (key) {
            case Key.Setting<?> setting
            when setting.required() ->
                error(
                        values.place(),
                        path,
                        "is required; add it: " + setting.type().expected());
            case Key.Section section
            when section.required() ->
                error(values.place(), path, "is required; add it, with " + names(section) + " below");
            case Key.NamedSections _ -> error(values.place(), path, "is required; add it, with one or more by name");
            case Key.Setting<?> _, Key.Section _, Key.Unbuilt _ -> {}
        }
    }

    private void unknown(Key.Section section, ConfigNode.Entry entry, String path) {
        if (reading.problems().full()) return;
        var names = section.keys().stream().map(Key::name).toList();
        var near = Spelling.nearest(entry.key(), names);
        var remedy = near != null
                ? "did you mean " + near + "?"
                : section.keys().isEmpty() ? "remove it" : "here may stand " + names(section);
        error(entry.place(), path, "unknown key; " + remedy);
    }

    private static String names(Key.Section section) {
        var built =
                section.keys().stream().filter(k -> !(k instanceof Key.Unbuilt)).toList();
        var oneOfAll = !built.isEmpty() && built.stream().allMatch(section.oneOf()::holds);
        return built.stream().map(Key::name).collect(Collectors.joining(oneOfAll ? " or " : ", "));
    }

    private void error(Place place, String path, String message) {
        reading.problems().error(place, path, message);
    }

    /// A dotted path; keys that are no plain names are escaped.
    static String join(String path, String key) {
        var name = Text.printable(key, 60);
        return path.isEmpty() ? name : path + "." + name;
    }
}
