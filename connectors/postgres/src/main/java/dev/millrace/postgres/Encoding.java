package dev.millrace.postgres;

/// What a database does with the characters of a text, which is always sent as UTF-8 (PG-2).
public enum Encoding {
    /// It keeps each.
    UTF8,
    /// `SQL_ASCII`: it keeps the bytes, and counts bytes where it counts characters.
    BYTES,
    /// It has those up to U+00FF.
    LATIN1,
    /// It has some, and refuses the rows of the others itself.
    OTHER;

    static Encoding of(String name) {
        return switch (name) {
            case "UTF8" -> UTF8;
            case "SQL_ASCII" -> BYTES;
            case "LATIN1" -> LATIN1;
            default -> OTHER;
        };
    }
}
