package io.tunnel.stress.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ZipfKeysTest {

  private static final int DRAWS = 400_000;

  @ParameterizedTest
  @CsvSource({"2, 1.0", "10, 0.5", "10, 0.99", "10, 1.0", "50, 1.2", "200, 0.99", "100, 3.0"})
  void draws_follow_the_exact_probabilities(int keys, double exponent) {
    long[] counts = new long[keys];
    ZipfKeys chooser = new ZipfKeys(keys, exponent);
    SplittableRandom random = new SplittableRandom(42);
    for (int i = 0; i < DRAWS; i++) {
      counts[(int) chooser.next(random)]++;
    }

    double weights = 0;
    for (int rank = 1; rank <= keys; rank++) {
      weights += Math.pow(rank, -exponent);
    }
    double chiSquare = 0;
    int cells = 0;
    double restExpected = 0;
    long restCount = 0;
    for (int rank = 1; rank <= keys; rank++) {
      double expected = DRAWS * Math.pow(rank, -exponent) / weights;
      if (expected < 10) { // Too few for the test: all of these are one cell.
        restExpected += expected;
        restCount += counts[rank - 1];
        continue;
      }
      chiSquare += Math.pow(counts[rank - 1] - expected, 2) / expected;
      cells++;
    }
    if (restExpected > 0) {
      chiSquare += Math.pow(restCount - restExpected, 2) / Math.max(1, restExpected);
      cells++;
    }
    // Mean and four standard deviations of a chi-square with cells - 1 degrees of freedom.
    assertThat(chiSquare).isLessThan(cells - 1 + 4 * Math.sqrt(2.0 * Math.max(1, cells - 1)) + 4);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 1_000_000, 1L << 40})
  void ids_stay_in_range_for_any_number_of_keys(long keys) {
    ZipfKeys chooser = new ZipfKeys(keys, 0.99);
    SplittableRandom random = new SplittableRandom(7);
    long first = 0;
    for (int i = 0; i < 20_000; i++) {
      long id = chooser.next(random);
      assertThat(id).isBetween(0L, keys - 1);
      first += id == 0 ? 1 : 0;
    }
    assertThat(first).isPositive();
  }

  @Test
  void equal_seeds_draw_equal_keys() {
    ZipfKeys chooser = new ZipfKeys(1000, 0.99);
    SplittableRandom one = new SplittableRandom(5);
    SplittableRandom other = new SplittableRandom(5);
    for (int i = 0; i < 1000; i++) {
      assertThat(chooser.next(one)).isEqualTo(chooser.next(other));
    }
  }

  @Test
  void what_makes_no_sense_is_refused() {
    assertThatThrownBy(() -> new ZipfKeys(0, 1)).hasMessageContaining("at least 1 key, not 0");
    assertThatThrownBy(() -> new ZipfKeys(5, 0)).hasMessageContaining("over 0 and up to 10");
    assertThatThrownBy(() -> new ZipfKeys(5, Double.NaN)).hasMessageContaining("not NaN");
    assertThatThrownBy(() -> new UniformKeys(0)).hasMessageContaining("at least 1 key, not 0");
    assertThat(new UniformKeys(1).next(new SplittableRandom(1))).isZero();
  }

  @Test
  void uniform_keys_are_all_drawn_about_as_often() {
    long[] counts = new long[16];
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 160_000; i++) {
      counts[(int) new UniformKeys(16).next(random)]++;
    }
    assertThat(Arrays.stream(counts).boxed())
        .allSatisfy(count -> assertThat(count).isBetween(9_500L, 10_500L));
  }
}
