package dev.millrace.postgres;

/// How far an attempt has come.
enum Phase {
    LOGIN("logging in"),
    BEGIN("opening the transaction"),
    ROWS("sending rows"),
    COMMIT("committing");

    private final String words;

    Phase(String words) {
        this.words = words;
    }

    String words() {
        return words;
    }
}
