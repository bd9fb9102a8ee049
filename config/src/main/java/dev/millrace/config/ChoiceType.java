package dev.millrace.config;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// One word of a few. Words of parts that are not built yet are known, and refused with the part's name.
record ChoiceType<T>(List<Choice<T>> choices) implements ScalarType<T> {

    /// A word and what it stands for.
    sealed interface Choice<T> {
        String word();

        record Built<T>(String word, T value) implements Choice<T> {}

        record Unbuilt<T>(String word, Part part) implements Choice<T> {}

        /// A word that means something elsewhere, and why not here.
        record Misplaced<T>(String word, String reason) implements Choice<T> {}
    }

    ChoiceType {
        choices = List.copyOf(choices);
    }

    /// The constants of an enum, in lower case.
    static <E extends Enum<E>> ChoiceType<E> of(Class<E> type) {
        return new ChoiceType<>(Arrays.stream(type.getEnumConstants())
                .<Choice<E>>map(value -> new Choice.Built<>(value.name().toLowerCase(Locale.ROOT), value))
                .toList());
    }

    /// One more word, of a part not built yet. A word that ends with `…` stands for everything that begins like it.
    ChoiceType<T> later(String word, Part part) {
        var more = new ArrayList<>(choices);
        more.add(new Choice.Unbuilt<>(word, part));
        return new ChoiceType<>(more);
    }

    /// One more word, that may not stand here for a reason.
    ChoiceType<T> misplaced(String word, String reason) {
        var more = new ArrayList<>(choices);
        more.add(new Choice.Misplaced<>(word, reason));
        return new ChoiceType<>(more);
    }

    @Override
    public Parsed<T> parse(Text text) {
        for (var choice : choices) {
            if (!matches(choice.word(), text.value())) continue;
            return switch (choice) {
                case Choice.Built<T> built -> Parsed.good(built.value());
                case Choice.Unbuilt<T> later ->
                    Parsed.bad(text + " is " + later.part().notBuilt() + "; " + remedy());
                case Choice.Misplaced<T> misplaced -> Parsed.bad(text + " " + misplaced.reason() + "; " + remedy());
            };
        }
        var words = choices.stream().map(Choice::word).toList();
        var near = text.literal() ? Spelling.nearest(text.value(), words) : null;
        return Parsed.bad(
                text + " is not known here; " + (near == null ? remedy() : "did you mean " + near + "? " + remedy()));
    }

    private static boolean matches(String word, String value) {
        return word.endsWith("…") ? value.startsWith(word.substring(0, word.length() - 1)) : word.equals(value);
    }

    /// The words that may be used.
    List<String> words() {
        return choices.stream()
                .filter(c -> c instanceof Choice.Built)
                .map(Choice::word)
                .toList();
    }

    private String remedy() {
        return "use " + builtWords();
    }

    private String builtWords() {
        var words = words();
        int last = words.size() - 1;
        return last == 0 ? words.get(0) : String.join(", ", words.subList(0, last)) + " or " + words.get(last);
    }

    @Override
    public String expected() {
        return builtWords();
    }
}
