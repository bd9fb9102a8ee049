package dev.millrace.checkpoint;

/// Choices of a random run, read off an array that jqwik can shrink.
final class Script {
    private final byte[] choices;
    private int at;

    Script(byte[] choices) {
        this.choices = choices;
    }

    boolean goesOn() {
        return at < choices.length;
    }

    /// One of `0 … bound - 1`; zero where the script has ended.
    int pick(int bound) {
        return goesOn() ? (choices[at++] & 0xff) % bound : 0;
    }
}
