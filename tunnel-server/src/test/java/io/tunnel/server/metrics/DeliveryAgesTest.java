package io.tunnel.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DeliveryAgesTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void a_percentile_is_at_most_a_fifth_too_high(long seed) {
    Random random = new Random(seed);
    DeliveryAges ages = new DeliveryAges();
    ages.add(1);
    DeliveryAges.Counts before = ages.counts();
    long[] micros = new long[5_000];
    for (int i = 0; i < micros.length; i++) {
      micros[i] = 20 + (long) Math.exp(random.nextDouble() * 20);
      ages.add(micros[i]);
    }
    Arrays.sort(micros);
    for (double share : new double[] {0.01, 0.5, 0.99, 1}) {
      double exact = micros[(int) Math.ceil(share * micros.length) - 1] / 1e3;
      assertThat(ages.counts().percentileMs(before, share).orElseThrow())
          .as("seed %d, share %s", seed, share)
          .isBetween(exact * 0.999, exact * 1.201);
    }
  }

  @Test
  void without_deliveries_there_is_no_percentile_and_no_age_is_out_of_range() {
    DeliveryAges ages = new DeliveryAges();
    assertThat(ages.counts().percentileMs(DeliveryAges.Counts.none(), 0.5)).isEmpty();
    ages.add(-5);
    ages.add(0);
    assertThat(ages.counts().percentileMs(DeliveryAges.Counts.none(), 1).orElseThrow())
        .isCloseTo(0.01, within(1e-9));
    ages.add(Long.MAX_VALUE);
    assertThat(ages.counts().percentileMs(DeliveryAges.Counts.none(), 1)).isPresent();
  }
}
