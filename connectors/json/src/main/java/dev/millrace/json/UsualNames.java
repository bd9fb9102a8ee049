package dev.millrace.json;

/// The name that a member at each place had last, as its bytes stand, with the colon behind it: most likely the next
/// record's member there has the same, which is then known without another look at its characters.
///
/// Thread ownership: the source thread.
final class UsualNames {
    private static final int PLACES = 64;

    /// The most bytes that one has: its quotes, and a colon right behind them.
    private static final int ROOM = 4 * EightBytes.COUNT;

    private final byte[] texts = new byte[PLACES * ROOM];
    private final int[] lengths = new int[PLACES];
    private final int[] numbers = new int[PLACES];
    private int taught;

    /// How many bytes before `end` the name at `at` takes, with its colon, if the last one at the place was the same;
    /// else 0.
    int length(int place, byte[] bytes, int at, int end) {
        if (place >= PLACES) return 0;
        var length = lengths[place];
        if (length == 0 || end - at < length || bytes.length - at < EightBytes.COUNT) return 0;
        var mine = place * ROOM;
        var apart = EightBytes.at(bytes, at) ^ EightBytes.at(texts, mine);
        var last = length - EightBytes.COUNT;
        if (last < 0) return apart << (-last * Byte.SIZE) == 0 ? length : 0;
        for (var i = EightBytes.COUNT; i < last; i += EightBytes.COUNT)
            apart |= EightBytes.at(bytes, at + i) ^ EightBytes.at(texts, mine + i);
        apart |= EightBytes.at(bytes, at + last) ^ EightBytes.at(texts, mine + last);
        return apart == 0 ? length : 0;
    }

    /// Remembers the name from `from` to its colon, which ends before `to`, if it is not too long.
    void learn(int place, byte[] bytes, int from, int to) {
        // No number is given twice: the same number is the same name.
        if (place >= PLACES || taught == Integer.MAX_VALUE) return;
        var length = to - from;
        forget(place);
        if (length > ROOM) return;
        System.arraycopy(bytes, from, texts, place * ROOM, length);
        lengths[place] = length;
        numbers[place] = ++taught;
    }

    /// The name that was there last is none of those that can be known again.
    void forget(int place) {
        if (place >= PLACES) return;
        numbers[place] = 0;
        lengths[place] = 0;
    }

    /// The number of the name that was last learned at the place; 0 for none.
    int number(int place) {
        return place < PLACES ? numbers[place] : 0;
    }
}
