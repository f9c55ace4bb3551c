package io.tunnel.partition.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.partition.tool.QuantileCore.Quantiles;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuantileCoreTest {

  private static Quantiles quantiles(List<Long> keys, int partitions) {
    return QuantileCore.of(
        keys.stream().map(PrimaryKeyValue::fromLong).toList(), PrimaryKeyType.INTEGER, partitions);
  }

  /** The given counts of the keys 0, 1, 2, … */
  private static List<Long> counted(int... counts) {
    List<Long> keys = new ArrayList<>();
    for (int key = 0; key < counts.length; key++) {
      keys.addAll(Collections.nCopies(counts[key], (long) key));
    }
    return keys;
  }

  /** Points rise, and the counts are what really lies between them. */
  private static void assertConsistent(List<Long> keys, Quantiles quantiles, int partitions) {
    assertThat(quantiles.points()).hasSize(partitions - 1);
    TreeMap<Long, Integer> partitionFrom = new TreeMap<>();
    partitionFrom.put(Long.MIN_VALUE, 0);
    for (int i = 0; i < quantiles.points().size(); i++) {
      long point = quantiles.points().get(i).asLong();
      assertThat(point).isGreaterThan(partitionFrom.lastKey());
      partitionFrom.put(point, i + 1);
    }
    long[] counts = new long[partitions];
    keys.forEach(key -> counts[partitionFrom.floorEntry(key).getValue()]++);
    assertThat(quantiles.keys()).containsExactly(box(counts)).doesNotContain(0L);
  }

  private static Long[] box(long[] values) {
    Long[] boxed = new Long[values.length];
    for (int i = 0; i < values.length; i++) {
      boxed[i] = values[i];
    }
    return boxed;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 8, 128, 1_000, 1_024})
  void distinct_keys_are_spread_evenly_within_one(int partitions) {
    Random random = new Random(partitions);
    for (int size : new int[] {partitions, partitions + 1, 2 * partitions - 1, 5_000}) {
      HashSet<Long> distinct = new HashSet<>();
      while (distinct.size() < size) {
        distinct.add(random.nextLong());
      }
      List<Long> keys = new ArrayList<>(distinct);
      Collections.shuffle(keys, random);

      Quantiles quantiles = quantiles(keys, partitions);

      assertConsistent(keys, quantiles, partitions);
      long least = size / partitions;
      assertThat(quantiles.keys()).allMatch(count -> count == least || count == least + 1);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void duplicates_cost_no_more_than_they_must(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      int distinct = 1 + random.nextInt(40);
      int partitions = 1 + random.nextInt(distinct);
      int heaviest = 1 + random.nextInt(100);
      int[] counts =
          IntStream.range(0, distinct)
              .map(key -> 1 + (random.nextInt(4) == 0 ? random.nextInt(heaviest) : 0))
              .toArray();
      List<Long> keys = counted(counts);
      Collections.shuffle(keys, random);

      Quantiles quantiles = quantiles(keys, partitions);

      assertConsistent(keys, quantiles, partitions);
      long largest = Collections.max(quantiles.keys());
      assertThat(largest)
          .as("seed %d, %d partitions of %s", seed, partitions, quantiles.keys())
          .isLessThanOrEqualTo(2 * smallestPossibleMaximum(counts, partitions));
    }
  }

  /** The best that any split can do: the smallest capacity that a greedy filling gets by with. */
  private static long smallestPossibleMaximum(int[] counts, int partitions) {
    long capacity = IntStream.of(counts).max().orElseThrow();
    while (partsNeeded(counts, capacity) > partitions) {
      capacity++;
    }
    return capacity;
  }

  private static int partsNeeded(int[] counts, long capacity) {
    int parts = 1;
    long filled = 0;
    for (int count : counts) {
      if (filled + count > capacity) {
        parts++;
        filled = 0;
      }
      filled += count;
    }
    return parts;
  }

  @Test
  void a_key_that_fills_several_quantiles_gets_one_partition_wherever_it_stands() {
    assertThat(quantiles(counted(90, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), 4).keys())
        .containsExactly(90L, 3L, 3L, 4L);
    assertThat(quantiles(counted(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 90), 4).keys())
        .containsExactly(3L, 3L, 4L, 90L);
    assertThat(quantiles(counted(1, 1, 1, 1, 1, 90, 1, 1, 1, 1, 1), 3).keys())
        .containsExactly(5L, 90L, 5L);
  }

  @Test
  void as_many_partitions_as_distinct_keys_are_possible_and_not_one_more() {
    List<Long> keys = counted(100, 1, 50);
    assertThat(quantiles(keys, 3).keys()).containsExactly(100L, 1L, 50L);
    assertThatThrownBy(() -> quantiles(keys, 4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "the sample has 3 distinct keys, too few for 4 partitions: at most --partitions 3, or a"
                + " larger sample");
  }

  @Test
  void an_empty_sample_says_so() {
    assertThatThrownBy(() -> quantiles(List.of(), 1))
        .hasMessage("the sample has 0 distinct keys, too few for 1 partitions: it is empty");
  }

  @Test
  void texts_are_ordered_as_the_table_orders_them() {
    // UTF-16 would put the emoji, a surrogate pair, before U+FF5E; UTF-8 puts it behind.
    List<PrimaryKeyValue> keys =
        List.of(
            PrimaryKeyValue.fromString("\ud83d\ude00"),
            PrimaryKeyValue.fromString("\uff5e"),
            PrimaryKeyValue.fromString("a"));
    Quantiles quantiles = QuantileCore.of(keys, PrimaryKeyType.STRING, 3);
    assertThat(quantiles.points().stream().map(KeyText::format))
        .containsExactly("\uff5e", "\ud83d\ude00");
    assertThat(KeyCodec.encode(quantiles.points().get(1)))
        .isGreaterThan(KeyCodec.encode(quantiles.points().get(0)));
  }
}
