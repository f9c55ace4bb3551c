package io.tunnel.partition.tool;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Split points that give every partition about as many keys of a sample. Equal keys cannot be
 * divided, so with duplicates plain quantiles would name one point several times. Instead the
 * sample is halved again and again, each time at the border between two distinct keys that comes
 * closest, and the partitions are shared out to the halves by what these really hold: a key that
 * alone fills several quantiles gets one partition, and the others are spread over the rest.
 *
 * <p>Without duplicates partitions differ by at most one key.
 */
final class QuantileCore {

  /** Keys before the distinct key of that index, in key order; the last entry is all of them. */
  private final long[] before;

  private final List<Integer> borders = new ArrayList<>();

  /**
   * What a sample says.
   *
   * @param points the split points
   * @param keys keys of the sample that fall into each partition, one entry more than points
   */
  record Quantiles(List<PrimaryKeyValue> points, List<Long> keys) {
    Quantiles {
      points = List.copyOf(points);
      keys = List.copyOf(keys);
    }
  }

  private QuantileCore(long[] before) {
    this.before = before;
  }

  /**
   * The quantiles of {@code sample}, keys in any order.
   *
   * @throws IllegalArgumentException when it has fewer distinct keys than partitions are wanted
   */
  static Quantiles of(List<PrimaryKeyValue> sample, PrimaryKeyType type, int partitions) {
    Bytes[] sorted = sample.stream().map(KeyCodec::encode).sorted().toArray(Bytes[]::new);
    int[] firsts = firstOfEachDistinct(sorted);
    int distinct = firsts.length - 1;
    if (distinct < partitions) {
      throw new IllegalArgumentException(
          "the sample has "
              + distinct
              + " distinct keys, too few for "
              + partitions
              + " partitions: "
              + (distinct == 0
                  ? "it is empty"
                  : "at most --partitions " + distinct + ", or a larger sample"));
    }
    long[] before = Arrays.stream(firsts).asLongStream().toArray();
    List<Integer> borders = new QuantileCore(before).borders(partitions);
    List<PrimaryKeyValue> points = new ArrayList<>();
    List<Long> keys = new ArrayList<>();
    int last = 0;
    for (int border : borders) {
      points.add(KeyCodec.decodeColumn(sorted[firsts[border]], type));
      keys.add(before[border] - before[last]);
      last = border;
    }
    keys.add(before[distinct] - before[last]);
    return new Quantiles(points, keys);
  }

  /** Where each distinct key begins, and the end. */
  private static int[] firstOfEachDistinct(Bytes[] sorted) {
    int[] firsts = new int[sorted.length + 1];
    int distinct = 0;
    for (int i = 0; i < sorted.length; i++) {
      if (i == 0 || !sorted[i].equals(sorted[i - 1])) {
        firsts[distinct++] = i;
      }
    }
    firsts[distinct] = sorted.length;
    return Arrays.copyOf(firsts, distinct + 1);
  }

  private List<Integer> borders(int parts) {
    divide(0, before.length - 1, parts);
    return borders;
  }

  /** Adds the borders inside the distinct keys {@code [low, high)}, which are at least parts. */
  private void divide(int low, int high, int parts) {
    if (parts == 1) {
      return;
    }
    int half = parts / 2;
    long total = before[high] - before[low];
    int border = nearest(low, high, before[low] + (double) total * half / parts);
    long left = before[border] - before[low];
    int leftParts = half;
    if (Math.abs(left * parts - total * half) >= parts) {
      // More than a key off, because of a key that cannot be divided.
      leftParts = (int) Math.round((double) parts * left / total);
    }
    int least = Math.max(1, parts - (high - border));
    int most = Math.min(parts - 1, border - low);
    leftParts = Math.max(least, Math.min(most, leftParts));
    divide(low, border, leftParts);
    borders.add(border);
    divide(border, high, parts - leftParts);
  }

  /** The border strictly inside {@code (low, high)} with about {@code target} keys before it. */
  private int nearest(int low, int high, double target) {
    int found = Arrays.binarySearch(before, low + 1, high, (long) Math.floor(target));
    int above = found >= 0 ? found : -found - 1;
    int best = Math.min(above, high - 1);
    for (int candidate : new int[] {above - 1, above + 1}) {
      if (candidate > low
          && candidate < high
          && Math.abs(before[candidate] - target) < Math.abs(before[best] - target)) {
        best = candidate;
      }
    }
    return best;
  }
}
