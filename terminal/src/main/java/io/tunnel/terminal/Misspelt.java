package io.tunnel.terminal;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Finds the known words that a misspelt word probably stands for. */
final class Misspelt {

  private Misspelt() {}

  /** Those words that are one or two slips of a typist away, the nearest first. */
  static List<String> nearest(String typed, Collection<String> words) {
    int slipsMax = typed.length() < 6 ? 1 : 2;
    return words.stream()
        .filter(word -> slips(typed, word) <= slipsMax)
        .sorted(Comparator.comparingInt(word -> slips(typed, word)))
        .toList();
  }

  /** Characters to add, leave out, change, or swap with the next. */
  private static int slips(String one, String other) {
    int[][] slips = new int[one.length() + 1][other.length() + 1];
    for (int i = 0; i <= one.length(); i++) {
      for (int j = 0; j <= other.length(); j++) {
        if (i == 0 || j == 0) {
          slips[i][j] = i + j;
          continue;
        }
        int changed = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1;
        slips[i][j] =
            Math.min(slips[i - 1][j - 1] + changed, 1 + Math.min(slips[i - 1][j], slips[i][j - 1]));
        if (i > 1
            && j > 1
            && one.charAt(i - 1) == other.charAt(j - 2)
            && one.charAt(i - 2) == other.charAt(j - 1)) {
          slips[i][j] = Math.min(slips[i][j], slips[i - 2][j - 2] + 1);
        }
      }
    }
    return slips[one.length()][other.length()];
  }
}
