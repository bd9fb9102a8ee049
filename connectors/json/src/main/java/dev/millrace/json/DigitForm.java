package dev.millrace.json;

import java.nio.charset.StandardCharsets;

/// Eight ASCII characters, of which some are any digits and the others given: `00:00:00` is a time.
///
/// Thread ownership: immutable.
final class DigitForm {
    /// What a word's text does not have.
    static final long NONE = -1;

    private static final long HIGHS = 0x8080808080808080L;

    private final long form;

    /// What a character may be more than the form's leaves the high bit of its byte alone when this is added.
    private final long slack;

    /// `form` has a 0 for each digit.
    DigitForm(String form) {
        this.form = EightBytes.at(form.getBytes(StandardCharsets.US_ASCII), 0);
        var room = 0L;
        for (var i = EightBytes.COUNT - 1; i >= 0; i--)
            room = room << Byte.SIZE | (form.charAt(i) == '0' ? 0x80 - 10 : 0x7f);
        slack = room;
    }

    /// The values of the digits, each in its byte, the first one lowest; [#NONE] where the eight bytes of `word` are
    /// not of this form.
    long digits(long word) {
        var apart = word ^ form;
        return ((apart + slack | apart) & HIGHS) == 0 ? apart : NONE;
    }

    /// The number of two digits, the first of which is the character `first`.
    static int two(long digits, int first) {
        var both = (int) (digits >>> (Byte.SIZE * first));
        return 10 * (both & 0xf) + (both >>> Byte.SIZE & 0xf);
    }
}
