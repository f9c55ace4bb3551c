package io.tunnel.partition.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyValue;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SplitPlanCoreTest {

  private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(64);

  private static void assertRising(List<PrimaryKeyValue> points) {
    for (int i = 1; i < points.size(); i++) {
      Bytes before = KeyCodec.encode(points.get(i - 1));
      assertThat(KeyCodec.encode(points.get(i))).isGreaterThan(before);
    }
  }

  /** Every value of {@code [lowest, lowest + size)} has a partition, and they differ by one. */
  private static void assertEven(
      BigInteger lowest, BigInteger size, List<BigInteger> points, int partitions) {
    assertThat(points).hasSize(partitions - 1);
    BigInteger least = size.divide(BigInteger.valueOf(partitions));
    List<BigInteger> ends = new ArrayList<>(points);
    ends.add(lowest.add(size));
    BigInteger from = lowest;
    for (BigInteger to : ends) {
      assertThat(to.subtract(from)).isBetween(least, least.add(BigInteger.ONE));
      from = to;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8, 100, 128, 1_000, 1_024})
  void a_hash_is_split_evenly(int partitions) {
    List<PrimaryKeyValue> points = SplitPlanCore.hash4(partitions);

    assertRising(points);
    assertThat(points).allSatisfy(point -> assertThat(point.asBinary()).hasSize(4));
    assertEven(
        BigInteger.ZERO,
        BigInteger.ONE.shiftLeft(32),
        points.stream().map(point -> new BigInteger(1, point.asBinary())).toList(),
        partitions);
  }

  @Test
  void the_points_of_a_hash_are_those_that_one_expects() {
    assertThat(SplitPlanCore.hash4(4).stream().map(KeyText::format))
        .containsExactly("40000000", "80000000", "c0000000");
    assertThat(SplitPlanCore.hash4(3).stream().map(KeyText::format))
        .containsExactly("55555555", "aaaaaaaa");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8, 100, 128, 1_000, 1_024})
  void hexadecimal_digits_are_split_evenly_at_every_width(int partitions) {
    for (int width = 1; width <= SplitPlanCore.HEX_WIDTH_MAX; width++) {
      BigInteger size = BigInteger.ONE.shiftLeft(4 * width);
      if (size.compareTo(BigInteger.valueOf(partitions)) < 0) {
        continue;
      }
      int digits = width;
      List<PrimaryKeyValue> points = SplitPlanCore.hex(width, false, partitions);
      assertRising(points);
      assertThat(points).allMatch(point -> point.asString().length() == digits);
      assertEven(
          BigInteger.ZERO,
          size,
          points.stream().map(point -> new BigInteger(point.asString(), 16)).toList(),
          partitions);
    }
  }

  @Test
  void upper_case_digits_stay_in_order() {
    List<PrimaryKeyValue> points = SplitPlanCore.hex(1, true, 16);
    assertRising(points);
    assertThat(points.get(9).asString()).isEqualTo("A");
  }

  @Test
  void hexadecimal_digits_have_a_width_and_enough_values() {
    assertThatThrownBy(() -> SplitPlanCore.hex(0, false, 2))
        .hasMessage("--width is 1 to 15 hexadecimal digits, not 0");
    assertThatThrownBy(() -> SplitPlanCore.hex(16, false, 2))
        .hasMessage("--width is 1 to 15 hexadecimal digits, not 16");
    assertThatThrownBy(() -> SplitPlanCore.hex(1, false, 17))
        .hasMessage(
            "1 hexadecimal digits have 16 values, too few for 17 partitions: raise --width, or at"
                + " most --partitions 16");
  }

  private static void assertIntegersEven(long lowest, long highest, int partitions) {
    List<PrimaryKeyValue> points = SplitPlanCore.integers(lowest, highest, partitions);
    assertRising(points);
    assertEven(
        BigInteger.valueOf(lowest),
        BigInteger.valueOf(highest).subtract(BigInteger.valueOf(lowest)).add(BigInteger.ONE),
        points.stream().map(point -> BigInteger.valueOf(point.asLong())).toList(),
        partitions);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 8, 128, 1_000, 1_024})
  void integers_are_split_evenly_up_to_the_ends_of_what_a_long_holds(int partitions) {
    assertIntegersEven(Long.MIN_VALUE, Long.MAX_VALUE, partitions);
    assertIntegersEven(Long.MIN_VALUE, -1, partitions);
    assertIntegersEven(Long.MIN_VALUE, 0, partitions);
    assertIntegersEven(0, Long.MAX_VALUE, partitions);
    assertIntegersEven(-1, Long.MAX_VALUE, partitions);
    assertIntegersEven(Long.MIN_VALUE, Long.MAX_VALUE - 1, partitions);
    assertIntegersEven(Long.MAX_VALUE - partitions + 1, Long.MAX_VALUE, partitions);
    assertIntegersEven(Long.MIN_VALUE, Long.MIN_VALUE + partitions - 1, partitions);
    assertIntegersEven(0, partitions - 1, partitions);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void any_range_of_integers_is_split_evenly(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 100; i++) {
      int partitions = random.nextInt(1, 1_025);
      long a = random.nextLong() >> random.nextInt(63);
      long b = random.nextLong() >> random.nextInt(63);
      long lowest = Math.min(a, b);
      long highest = Math.max(a, b);
      BigInteger size =
          BigInteger.valueOf(highest).subtract(BigInteger.valueOf(lowest)).add(BigInteger.ONE);
      assertThat(size).isLessThanOrEqualTo(TWO_64);
      if (size.compareTo(BigInteger.valueOf(partitions)) >= 0) {
        assertIntegersEven(lowest, highest, partitions);
      } else {
        assertThatThrownBy(() -> SplitPlanCore.integers(lowest, highest, partitions))
            .as("seed %d", seed)
            .hasMessageContaining("at most --partitions " + size);
      }
    }
  }

  @Test
  void a_range_of_integers_begins_before_it_ends() {
    assertThatThrownBy(() -> SplitPlanCore.integers(5, 4, 1))
        .hasMessage("--from 5 is over --to 4: give the lowest key first");
  }

  private static List<PrimaryKeyValue> texts(String... texts) {
    return List.of(texts).stream().map(PrimaryKeyValue::fromString).toList();
  }

  @Test
  void explicit_points_are_taken_as_they_are_when_they_rise() {
    assertThat(SplitPlanCore.explicit(texts("a", "aa", "b"))).isEqualTo(texts("a", "aa", "b"));
    assertThat(SplitPlanCore.explicit(List.of())).isEmpty();
  }

  @Test
  void explicit_points_that_do_not_rise_are_named() {
    assertThatThrownBy(() -> SplitPlanCore.explicit(texts("100", "20", "20")))
        .hasMessage(
            "split points must rise, but '20' comes after '20': give each once, in the order of"
                + " keys");
    assertThatThrownBy(
            () ->
                SplitPlanCore.explicit(
                    List.of(PrimaryKeyValue.fromLong(100), PrimaryKeyValue.fromLong(-1))))
        .hasMessageContaining("'-1' comes after '100'");
  }

  @Test
  void a_table_has_a_limit_of_partitions() {
    assertThat(SplitPlanCore.requirePartitions(1)).isEqualTo(1);
    assertThat(SplitPlanCore.requirePartitions(1_024)).isEqualTo(1_024);
    for (int bad : new int[] {0, -1, 1_025}) {
      assertThatThrownBy(() -> SplitPlanCore.requirePartitions(bad))
          .hasMessage("a table has 1 to 1024 partitions, not " + bad);
    }
  }
}
