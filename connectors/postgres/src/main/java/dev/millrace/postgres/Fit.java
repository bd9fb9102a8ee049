package dev.millrace.postgres;

/// What a JSON value has to be for a column to keep it as it is (FMT-3). Domains count as what they are made of.
///
/// With `array` it is a JSON array whose elements have to be that, or null. `limit` and `scale` mean what the
/// kind says.
public record Fit(Kind kind, boolean array, int limit, int scale) {
    /// Kinds of values, by what PostgreSQL does with them. Where it would change a value without a word, the
    /// encoder refuses the value instead.
    public enum Kind {
        /// Two, four and eight bytes: a number without a fraction.
        SMALLINT,
        INTEGER,
        BIGINT,
        /// A number of at most `limit` digits, `scale` of them behind the point; of any number where `limit` is 0.
        NUMERIC,
        /// A number that the nearest binary one gives back, digit for digit.
        REAL,
        DOUBLE,
        BOOLEAN,
        /// A string of at most `limit` characters, of any number where it is 0.
        TEXT,
        /// A string of exactly `limit` characters: a shorter one would be padded.
        CHAR,
        /// A string of at most `limit` bytes: a longer one would be cut.
        NAME,
        /// ISO 8601 strings, with at most `limit` digits of a second.
        DATE,
        TIME,
        TIMETZ,
        TIMESTAMP,
        TIMESTAMPTZ,
        /// An ISO 8601 duration.
        INTERVAL,
        /// Its usual spelling.
        UUID,
        /// The JSON text of any value.
        JSON,
        /// The same, without what `jsonb` cannot hold.
        JSONB,
        /// `\x` and hexadecimal digits, as PostgreSQL itself puts bytes into JSON.
        BYTEA,
        /// A string, which the column's type reads.
        OTHER,
        /// Nothing: the type rounds or cuts in silence, and where is not known here.
        NONE
    }

    private static final int MICROSECONDS = 6;
    private static final int NAME_BYTES = 63;
    /// A type modifier counts its own header.
    private static final int HEADER = 4;

    private static final int SCALE_BITS = 0x7ff;
    private static final int SCALE_SIGN = 1024;

    public Fit {
        if (limit < 0) throw new IllegalArgumentException("a column with a limit of " + limit);
    }

    static Fit of(Kind kind) {
        return new Fit(kind, false, 0, 0);
    }

    /// `base` is the type's name as the server spells it with nothing but the system's schema on the search path,
    /// `modifier` its type modifier, −1 for none.
    static Fit of(String base, int modifier, boolean array) {
        var given = modifier >= 0;
        var length = given ? Math.max(0, modifier - HEADER) : 0;
        var digits = given ? modifier : MICROSECONDS;
        return switch (base) {
            case "smallint" -> new Fit(Kind.SMALLINT, array, 0, 0);
            case "integer" -> new Fit(Kind.INTEGER, array, 0, 0);
            case "bigint" -> new Fit(Kind.BIGINT, array, 0, 0);
            case "numeric" -> numeric(modifier, array);
            case "real" -> new Fit(Kind.REAL, array, 0, 0);
            case "double precision" -> new Fit(Kind.DOUBLE, array, 0, 0);
            case "boolean" -> new Fit(Kind.BOOLEAN, array, 0, 0);
            case "text" -> new Fit(Kind.TEXT, array, 0, 0);
            case "character varying" -> new Fit(Kind.TEXT, array, length, 0);
            case "character" -> new Fit(given ? Kind.CHAR : Kind.TEXT, array, length, 0);
            case "name" -> new Fit(Kind.NAME, array, NAME_BYTES, 0);
            case "\"char\"" -> new Fit(Kind.NAME, array, 1, 0);
            case "date" -> new Fit(Kind.DATE, array, 0, 0);
            case "time without time zone" -> new Fit(Kind.TIME, array, digits, 0);
            case "time with time zone" -> new Fit(Kind.TIMETZ, array, digits, 0);
            case "timestamp without time zone" -> new Fit(Kind.TIMESTAMP, array, digits, 0);
            case "timestamp with time zone" -> new Fit(Kind.TIMESTAMPTZ, array, digits, 0);
            case "interval" -> new Fit(given ? Kind.NONE : Kind.INTERVAL, array, MICROSECONDS, 0);
            case "uuid" -> new Fit(Kind.UUID, array, 0, 0);
            case "json" -> new Fit(Kind.JSON, array, 0, 0);
            case "jsonb" -> new Fit(Kind.JSONB, array, 0, 0);
            case "bytea" -> new Fit(Kind.BYTEA, array, 0, 0);
            case "money" -> new Fit(Kind.NONE, array, 0, 0);
            default -> new Fit(Kind.OTHER, array, 0, 0);
        };
    }

    /// The modifier holds the precision in its upper half, and the scale, with its sign, in eleven bits.
    private static Fit numeric(int modifier, boolean array) {
        if (modifier < HEADER) return new Fit(Kind.NUMERIC, array, 0, 0);
        var packed = modifier - HEADER;
        return new Fit(Kind.NUMERIC, array, (packed >> 16) & 0xffff, ((packed & SCALE_BITS) ^ SCALE_SIGN) - SCALE_SIGN);
    }

    /// Its values are JSON text.
    boolean json() {
        return kind == Kind.JSON || kind == Kind.JSONB;
    }

    /// A column of this fit keeps every row that was made for one of the other.
    boolean keepsAllOf(Fit other) {
        if (equals(other)) return kind != Kind.OTHER && kind != Kind.NONE;
        if (array != other.array) return false;
        return switch (kind) {
            case TEXT -> limit == 0 ? !array || other.kind == Kind.TEXT : other.kind == Kind.TEXT && within(other);
            // Kinds of whole numbers stand in the order of what they hold, and before all others.
            case INTEGER, BIGINT -> other.kind.compareTo(kind) < 0;
            case NUMERIC -> limit == 0 ? other.kind.compareTo(kind) <= 0 : other.kind == kind && within(other);
            case TIME, TIMETZ, TIMESTAMP, TIMESTAMPTZ -> other.kind == kind && other.limit <= limit;
            default -> false;
        };
    }

    private boolean within(Fit other) {
        return other.limit > 0 && other.scale <= scale && other.limit - other.scale <= limit - scale;
    }
}
