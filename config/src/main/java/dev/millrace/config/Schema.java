package dev.millrace.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// Makes the JSON Schema of the file from its declarations. What is not built yet is not in it.
final class Schema {
    private Schema() {}

    static String text() {
        var schema = Json.Obj.empty()
                .with("$schema", "https://json-schema.org/draft/2020-12/schema")
                .with("title", "Millrace pipeline");
        for (var field : section(PipelineKeys.ROOT).fields().entrySet()) {
            schema = schema.with(field.getKey(), field.getValue());
        }
        return schema.with("$defs", TypeSchema.definitions()).print("") + "\n";
    }

    private static Json.Obj section(Key.Section section) {
        var properties = Json.Obj.empty();
        for (var key : section.keys()) {
            switch (key) {
                case Key.Setting<?> setting -> properties = properties.with(key.name(), setting(setting));
                case Key.Section below -> properties = properties.with(key.name(), section(below));
                case Key.NamedSections named -> properties = properties.with(key.name(), named(named));
                case Key.Unbuilt _ -> {}
            }
        }
        var required = section.keys().stream()
                .filter(Schema::isRequired)
                .map(Key::name)
                .toList();
        var schema = Json.Obj.empty().with("description", section.doc());
        // Where nothing is required, a section may stand in the file with nothing below it.
        schema = required.isEmpty() ? schema.with("type", "object", "null") : schema.with("type", "object");
        schema = schema.with("properties", properties);
        if (!required.isEmpty()) schema = schema.with("required", Json.Arr.ofTexts(required));
        return conditions(section, schema.with("additionalProperties", false));
    }

    private static boolean isRequired(Key key) {
        return switch (key) {
            case Key.Setting<?> setting -> setting.required();
            case Key.Section section -> section.required();
            case Key.NamedSections _ -> true;
            case Key.Unbuilt _ -> false;
        };
    }

    private static Json.Obj setting(Key.Setting<?> setting) {
        var description = Stream.of(
                        setting.doc(),
                        setting.type().expected(),
                        setting.applies().text(),
                        setting.absence() instanceof Absence.NoValue(var meaning) ? "left out: " + meaning : "")
                .filter(part -> !part.isEmpty())
                .toList();
        var schema = Json.Obj.empty().with("description", String.join("; ", description));
        for (var field : TypeSchema.of(setting.type()).fields().entrySet()) {
            schema = schema.with(field.getKey(), field.getValue());
        }
        var fallback = setting.fallback();
        return fallback == null ? schema : schema.with("default", TypeSchema.value(setting.type(), fallback));
    }

    private static Json.Obj named(Key.NamedSections named) {
        return TypeSchema.byName(section(named.each())).with("description", named.doc());
    }

    /// Which keys need or exclude one another.
    private static Json.Obj conditions(Key.Section section, Json.Obj schema) {
        Map<String, Json> needs = new LinkedHashMap<>();
        var all = new ArrayList<Json>();
        for (var key : section.keys()) {
            if (!(key instanceof Key.Setting<?> setting)) continue;
            switch (setting.applies()) {
                case Applies.With(var other) -> needs.put(setting.name(), Json.Arr.ofTexts(List.of(other.name())));
                case Applies.WithWord(var other, var _) ->
                    needs.put(setting.name(), Json.Arr.ofTexts(List.of(other.name())));
                case Applies.Without(var other) -> all.add(notBoth(setting, other));
                case Applies.Always _, Applies.InFormat _ -> {}
            }
        }
        var sections = section.oneOf().sections();
        for (int i = 0; i < sections.size(); i++) {
            for (int j = 0; j < i; j++) all.add(notBoth(sections.get(j), sections.get(i)));
        }
        if (!sections.isEmpty() && section.oneOf().otherwise() == null) {
            all.add(Json.Obj.empty()
                    .with(
                            "anyOf",
                            new Json.Arr(sections.stream()
                                    .<Json>map(s -> required(s))
                                    .toList())));
        }
        var more = needs.isEmpty() ? schema : schema.with("dependentRequired", new Json.Obj(needs));
        return all.isEmpty() ? more : more.with("allOf", new Json.Arr(all));
    }

    private static Json notBoth(Key one, Key other) {
        return Json.Obj.empty().with("not", required(one, other));
    }

    private static Json.Obj required(Key... keys) {
        return Json.Obj.empty()
                .with(
                        "required",
                        Json.Arr.ofTexts(Stream.of(keys).map(Key::name).toList()));
    }
}
