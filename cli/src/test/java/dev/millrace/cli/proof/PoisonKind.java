package dev.millrace.cli.proof;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What is wrong with a poison row of [PoisonMix], who says so, and in which words: the code of its dead letter.
///
/// The encoder's kinds never reach a server. Of the others, PostgreSQL names the row that breaks CHECK or UNIQUE in the
/// context of COPY; a foreign key it looks at when all rows are in, or at COMMIT, and names none. Under
/// `on_conflict: ignore` it names none at all.
enum PoisonKind {
    NONSENSE(false, "syntax"),
    CHECK(true, "23514"),
    UNKNOWN_FIELD(false, "unknown_field"),
    FOREIGN_KEY(true, "23503"),
    TOMBSTONE(false, "tombstone"),
    UNIQUE(true, "23505"),
    OUT_OF_RANGE(false, "out_of_range"),
    FOREIGN_KEY_AT_COMMIT(true, "23503");

    private final boolean byServer;
    private final String code;

    PoisonKind(boolean byServer, String code) {
        this.byServer = byServer;
        this.code = code;
    }

    /// Those that a sink refuses under `on_conflict: ignore`, to which a unique key that is there is a repeat.
    static List<PoisonKind> underIgnore() {
        return Stream.of(values()).filter(kind -> kind != UNIQUE).toList();
    }

    boolean byServer() {
        return byServer;
    }

    String code() {
        return code;
    }

    /// The value of a row of this kind, of which the healthy form is `{"id":…,"text":"…","kind":…}`.
    @Nullable
    String value(String id, String text) {
        var row = "{\"id\":" + id + ",\"text\":\"" + text + "\"";
        return switch (this) {
            case NONSENSE -> "row " + id + ": " + text;
            case CHECK -> row + ",\"amount\":-1}";
            case UNKNOWN_FIELD -> row + ",\"nobody\":1}";
            case FOREIGN_KEY -> row + ",\"kind\":77}";
            case TOMBSTONE -> null;
            case UNIQUE -> row + ",\"code\":\"taken\"}";
            case OUT_OF_RANGE -> row + ",\"amount\":3000000000}";
            case FOREIGN_KEY_AT_COMMIT -> row + ",\"late\":77}";
        };
    }
}
