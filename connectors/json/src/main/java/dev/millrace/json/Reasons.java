package dev.millrace.json;

/// Why a value is no row of a table, in stable words: they are the reasons of dead letters and of counters.
public final class Reasons {
    /// The record has no value. What else is no JSON object has the words of [JsonCheck.Fault].
    public static final String NULL_VALUE = "null_value";

    public static final String BAD_UTF8 = "bad_utf8";

    /// Fields and columns that do not meet.
    public static final String UNKNOWN_FIELD = "unknown_field";

    public static final String DUPLICATE_KEY = "duplicate_key";
    public static final String MISSING = "missing";
    public static final String NULL = "null";

    /// Values that their column would not keep as they are.
    public static final String WRONG_TYPE = "wrong_type";

    public static final String UNSUPPORTED_TYPE = "unsupported_type";
    public static final String OUT_OF_RANGE = "out_of_range";
    public static final String FRACTION = "fraction";
    public static final String TOO_PRECISE = "too_precise";
    public static final String NUMBER_TOO_LONG = "number_too_long";
    public static final String TOO_LONG = "too_long";
    public static final String TOO_SHORT = "too_short";
    public static final String BAD_FORMAT = "bad_format";
    public static final String HAS_ZONE = "has_zone";
    public static final String NO_ZONE = "no_zone";
    public static final String UNKNOWN_WORD = "unknown_word";
    public static final String NUL = "nul_character";
    public static final String LONE_SURROGATE = "lone_surrogate";
    public static final String NOT_IN_ENCODING = "not_in_encoding";

    private Reasons() {}
}
