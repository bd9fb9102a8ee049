package dev.millrace.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

/// How JSON Schema says what a [ValueType] may be.
///
/// An editor sees numbers as numbers and everything else as text. Bounds of durations, sizes and
/// percentages no pattern can say: they stand in the description.
final class TypeSchema {
    /// For a value with something to be filled in, whose type only the filled-in value can have.
    private static final Json FILLED_IN = Json.Obj.empty().with("$ref", "#/$defs/filled_in");

    private TypeSchema() {}

    /// What [#of] refers to.
    static Json.Obj definitions() {
        return Json.Obj.empty()
                .with(
                        "filled_in",
                        Json.Obj.empty()
                                .with("description", "${VAR}, ${VAR:-default}, ${VAR:?message} or ${file:/path}")
                                .with("type", "string")
                                .with("pattern", "(^|[^$])(\\$\\$)*\\$\\{[^}]+\\}"));
    }

    static Json.Obj of(ValueType<?> type) {
        return switch (type) {
            case ChoiceType<?> choice -> orFilledIn(Json.Obj.empty().with("enum", Json.Arr.ofTexts(choice.words())));
            case CountType count -> count(count);
            case DecimalType(double least, double most) ->
                orFilledIn(Json.Obj.empty()
                        .with("type", "number")
                        .with("minimum", least)
                        .with("maximum", most));
            case DurationType _ -> orFilledIn(formed(DurationType.FORM));
            case FlagType _ -> orFilledIn(Json.Obj.empty().with("type", "boolean"));
            case PercentType _ -> orFilledIn(formed(Pattern.compile(DecimalType.FORM.pattern() + "%")));
            case SecretType _ -> text(SecretType.LONGEST);
            case SizeType _ -> orFilledIn(formed(SizeType.FORM));
            case WordType<?> word -> word.form() == null ? text(WordType.LONGEST) : orFilledIn(formed(word.form()));
            case ListType<?>(var each, var _) -> list(of(each));
            case TopicsType _ -> topics();
            case ShardsType _ -> byName(list(text(WordType.LONGEST)));
            case KafkaPropertiesType _ -> properties(KafkaClientKeys.allowed());
            case ServerSettingsType _ -> properties(ServerSettings.allowed());
            case VerdictsType _ -> verdicts();
            case HeadersType _ -> headers();
        };
    }

    /// A default as the file's text becomes JSON.
    static Json value(ValueType<?> type, String text) {
        boolean word = type instanceof DecimalType
                || type instanceof FlagType
                || (type instanceof CountType && !text.equals("unlimited"));
        return word ? new Json.Word(text) : new Json.Str(text);
    }

    /// One or more by a name that the user gives.
    static Json.Obj byName(Json each) {
        return Json.Obj.empty()
                .with("type", "object")
                .with("minProperties", 1)
                .with("propertyNames", formed(Names.NAME))
                .with("additionalProperties", each);
    }

    private static Json.Obj count(CountType count) {
        var number = Json.Obj.empty()
                .with("type", "integer")
                .with("minimum", count.least())
                .with("maximum", count.most());
        return count.unlimited() ? orFilledIn(number, Json.Obj.empty().with("const", "unlimited")) : orFilledIn(number);
    }

    private static Json.Obj orFilledIn(Json... forms) {
        var any = new ArrayList<Json>(List.of(forms));
        any.add(FILLED_IN);
        return Json.Obj.empty().with("anyOf", new Json.Arr(any));
    }

    private static Json.Obj formed(Pattern form) {
        return Json.Obj.empty().with("type", "string").with("pattern", "^(" + form.pattern() + ")$");
    }

    private static Json.Obj text(int longest) {
        return Json.Obj.empty().with("type", "string").with("minLength", 1).with("maxLength", longest);
    }

    private static Json.Obj list(Json each) {
        return Json.Obj.empty()
                .with("type", "array")
                .with("minItems", 1)
                .with("uniqueItems", true)
                .with("items", each);
    }

    private static Json.Obj topics() {
        var pattern = Json.Obj.empty()
                .with("type", "object")
                .with("properties", Json.Obj.empty().with("pattern", of(TopicsType.PATTERN)))
                .with("required", new String[] {"pattern"})
                .with("additionalProperties", false);
        return Json.Obj.empty().with("anyOf", Json.Arr.of(of(TopicsType.NAMES), pattern));
    }

    private static Json.Obj verdicts() {
        return Json.Obj.empty()
                .with("type", "object", "null")
                .with("maxProperties", VerdictsType.MOST)
                .with("propertyNames", formed(VerdictsType.KEY))
                .with("additionalProperties", of(VerdictsType.WORD));
    }

    private static Json.Obj headers() {
        return Json.Obj.empty()
                .with("type", "object", "null")
                .with("maxProperties", HeadersType.MOST)
                .with("propertyNames", formed(HeadersType.NAME))
                .with("additionalProperties", Json.Obj.empty().with("type", "string", "number", "boolean"));
    }

    private static Json.Obj properties(Collection<String> allowed) {
        var names = Json.Obj.empty();
        for (var name : allowed) {
            names = names.with(name, Json.Obj.empty().with("type", "string", "number", "boolean"));
        }
        return Json.Obj.empty()
                .with("type", "object", "null")
                .with("properties", names)
                .with("additionalProperties", false);
    }
}
