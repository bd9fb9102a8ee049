package dev.millrace.fuzz;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// Runs one target. In every build that is over all inputs that are kept, and then over some thousand that chance makes
/// of them, the same ones each time. With `-Dmillrace.fuzz.seconds=` it is for so long by Jazzer, which is guided by
/// what the inputs reach: what it finds is kept.
///
/// A fault throws an [AssertionError] with the input, as the corpus would hold it.
public final class Fuzzing {
    private static final int MOST_MADE = 20_000;
    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final long SEED = 20_261_130;

    private final FuzzTarget target;
    private final Corpus corpus;

    private Fuzzing(FuzzTarget target, Corpus corpus) {
        this.target = target;
        this.corpus = corpus;
    }

    /// Of a target with a constructor that takes nothing. Its corpus is `src/test/resources/fuzz/NAME.txt`.
    public static void run(Class<? extends FuzzTarget> target) throws Exception {
        var corpus = Corpus.of(Path.of("src/test/resources/fuzz", target.getSimpleName() + ".txt"));
        var seconds = Integer.getInteger("millrace.fuzz.seconds", 0);
        if (seconds > 0) new Jazzer(target, corpus).run(Duration.ofSeconds(seconds));
        else new Fuzzing(made(target), corpus).run(MOST_MADE, LONGEST);
    }

    static Fuzzing of(FuzzTarget target, Corpus corpus) {
        return new Fuzzing(target, corpus);
    }

    static FuzzTarget made(Class<? extends FuzzTarget> target) throws ReflectiveOperationException {
        var constructor = target.getDeclaredConstructor();
        constructor.setAccessible(true);
        return constructor.newInstance();
    }

    /// Returns how many inputs chance made.
    int run(int mostMade, Duration longest) {
        var kept = corpus.all();
        for (var input : kept) check(input);
        var mutation = new Mutation(SEED, kept, target.words());
        var begun = System.nanoTime();
        var made = 0;
        while (made < mostMade && System.nanoTime() - begun < longest.toNanos()) {
            check(mutation.next());
            made++;
        }
        return made;
    }

    private void check(byte[] input) {
        try {
            target.take(input.clone());
        } catch (Throwable fault) {
            throw told(target, List.of(), input, fault);
        }
    }

    /// The fault as a test reports it, with the least input that was found to show it.
    static AssertionError told(FuzzTarget target, List<String> said, byte[] input, Throwable fault) {
        var least = new Shrinking(target, fault).least(input);
        var text = target.getClass().getSimpleName() + " does not take this input; mend it, and keep the line:\n"
                + Corpus.line(least) + "\n" + String.join("\n", said);
        return new AssertionError(text, fault);
    }
}
