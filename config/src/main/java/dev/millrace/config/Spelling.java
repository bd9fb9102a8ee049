package dev.millrace.config;

import java.util.Collection;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Finds the word that was probably meant.
final class Spelling {
    private static final int LONGEST = 64;
    private static final Pattern CAMEL = Pattern.compile("([a-z])([A-Z])");

    private Spelling() {}

    /// The nearest of the words, or null where none is near: at most a third of the letters wrong, `camelCase` and `-`
    /// apart.
    static @Nullable String nearest(String written, Collection<String> words) {
        if (written.length() > LONGEST) return null;
        var plain = plain(written);
        String best = null;
        int bestDistance = Math.max(1, written.length() / 3) + 1;
        for (var word : words) {
            if (Math.abs(plain.length() - word.length()) >= bestDistance) continue;
            int distance = distance(plain, plain(word));
            if (distance < bestDistance) {
                best = word;
                bestDistance = distance;
            }
        }
        return best;
    }

    private static String plain(String word) {
        return CAMEL.matcher(word).replaceAll("$1_$2").replace('-', '_').toLowerCase(Locale.ROOT);
    }

    /// Letters to insert, remove, change or swap with their neighbour to get from one word to the other.
    private static int distance(String from, String to) {
        int[][] cost = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) cost[i][0] = i;
        for (int j = 0; j <= to.length(); j++) cost[0][j] = j;
        for (int i = 1; i <= from.length(); i++) {
            for (int j = 1; j <= to.length(); j++) {
                int change = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
                int least = Math.min(cost[i - 1][j] + 1, cost[i][j - 1] + 1);
                least = Math.min(least, cost[i - 1][j - 1] + change);
                if (i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1)) {
                    least = Math.min(least, cost[i - 2][j - 2] + 1);
                }
                cost[i][j] = least;
            }
        }
        return cost[from.length()][to.length()];
    }
}
