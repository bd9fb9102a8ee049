package dev.millrace.cli.proof;

import java.util.SplittableRandom;

/// Something that goes wrong for a while, and its end.
///
/// @param name what a summary calls it
/// @param longestMillis how long it lasts at most
/// @param begin brings it about; what is left to chance, it takes from there
/// @param end ends it, and returns when it is over
record Harm(String name, int longestMillis, Begin begin, End end) {
    interface Begin {
        void run(SplittableRandom chance) throws Exception;
    }

    interface End {
        void run() throws Exception;
    }
}
