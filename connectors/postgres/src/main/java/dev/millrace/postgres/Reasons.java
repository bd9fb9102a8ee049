package dev.millrace.postgres;

/// Why a value is no row of a table, in stable words: they are the reasons of dead letters and of counters.
final class Reasons {
    /// The record has no value, or nothing but white space.
    static final String NULL_VALUE = "null_value";

    static final String EMPTY_VALUE = "empty_value";

    /// What it is instead of one JSON object.
    static final String NOT_AN_OBJECT = "not_an_object";

    static final String TRUNCATED = "truncated";
    static final String TRAILING = "trailing";
    static final String TOO_DEEP = "too_deep";
    static final String MALFORMED_JSON = "malformed_json";
    static final String BAD_UTF8 = "bad_utf8";

    /// Fields and columns that do not meet.
    static final String UNKNOWN_FIELD = "unknown_field";

    static final String DUPLICATE_KEY = "duplicate_key";
    static final String MISSING = "missing";
    static final String NULL = "null";

    /// Values that their column would not keep as they are.
    static final String WRONG_TYPE = "wrong_type";

    static final String UNSUPPORTED_TYPE = "unsupported_type";
    static final String OUT_OF_RANGE = "out_of_range";
    static final String FRACTION = "fraction";
    static final String TOO_PRECISE = "too_precise";
    static final String NUMBER_TOO_LONG = "number_too_long";
    static final String TOO_LONG = "too_long";
    static final String TOO_SHORT = "too_short";
    static final String BAD_FORMAT = "bad_format";
    static final String HAS_ZONE = "has_zone";
    static final String NUL = "nul_character";
    static final String LONE_SURROGATE = "lone_surrogate";
    static final String NOT_IN_ENCODING = "not_in_encoding";

    private Reasons() {}
}
