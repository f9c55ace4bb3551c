package io.tunnel.programs.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.programs.ledger.OrderCore.Arrival;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class OrderCoreTest {

  @Test
  void rising_numbers_are_next_whatever_is_between() {
    OrderCore order = new OrderCore(0);
    assertThat(order.came(0)).isEqualTo(Arrival.NEXT);
    assertThat(order.came(7)).isEqualTo(Arrival.NEXT);
    assertThat(order.came(8)).isEqualTo(Arrival.NEXT);
    assertThat(order.arrived()).isEqualTo(3);
    assertThat(order.late() + order.repeated()).isZero();
  }

  @Test
  void a_number_that_was_passed_over_is_late_once_and_then_repeated() {
    OrderCore order = new OrderCore(1);
    order.came(5);
    assertThat(order.came(3)).isEqualTo(Arrival.LATE);
    assertThat(order.came(3)).isEqualTo(Arrival.REPEATED);
    assertThat(order.came(5)).isEqualTo(Arrival.REPEATED);
    assertThat(order.came(0)).as("below the first").isEqualTo(Arrival.REPEATED);
    assertThat(order.arrived()).isEqualTo(2);
    assertThat(order.late()).isEqualTo(1);
    assertThat(order.repeated()).isEqualTo(3);
  }

  @Test
  void of_too_many_gaps_the_oldest_is_forgotten() {
    OrderCore order = new OrderCore(0);
    for (long number = 1; number <= 2L * (OrderCore.GAPS_MAX + 1); number += 2) {
      order.came(number);
    }
    assertThat(order.came(2)).isEqualTo(Arrival.LATE);
    assertThat(order.came(0)).isEqualTo(Arrival.REPEATED);
  }

  @Test
  void random_numbers_are_judged_as_a_set_of_all_numbers_judges_them() {
    for (long seed = 1; seed <= 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      OrderCore order = new OrderCore(0);
      BitSet seen = new BitSet();
      for (int i = 0; i < 300; i++) {
        int number = random.nextInt(200);
        Arrival expected =
            seen.get(number)
                ? Arrival.REPEATED
                : number > seen.length() - 1 ? Arrival.NEXT : Arrival.LATE;
        assertThat(order.came(number)).as("seed %d, number %d", seed, i).isEqualTo(expected);
        seen.set(number);
      }
      assertThat(order.arrived()).as("seed %d", seed).isEqualTo(seen.cardinality());
    }
  }
}
