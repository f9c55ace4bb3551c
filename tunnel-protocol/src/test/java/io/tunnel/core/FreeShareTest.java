package io.tunnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class FreeShareTest {

  private static final long MAX = 10_000;

  private static long takeAll(long own, long taken) {
    long mine = own;
    long all = taken;
    while (FreeShare.allows(mine, 1, all, MAX)) {
      mine++;
      all++;
    }
    return mine;
  }

  @Test
  void one_principal_takes_a_sixth_and_ten_in_a_row_leave_a_sixth() {
    assertThat(takeAll(0, 0)).isEqualTo(MAX / 6);
    long taken = 0;
    for (int i = 0; i < 10; i++) {
      taken += takeAll(0, taken);
    }
    assertThat(MAX - taken).isGreaterThan(MAX / 7);
  }

  @Test
  void who_has_nothing_gets_something_while_anything_is_free_and_nobody_gets_more_than_there_is() {
    assertThat(FreeShare.allows(0, 1, MAX - 1, MAX)).isTrue();
    assertThat(FreeShare.allows(1, 1, MAX - 1, MAX)).isFalse();
    assertThat(FreeShare.allows(0, 1, MAX, MAX)).isFalse();
    assertThat(FreeShare.allows(0, 2, MAX - 1, MAX)).isFalse();
  }

  @Test
  void principals_that_ask_in_any_order_never_take_all_but_for_a_place_each() {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      long[] own = new long[1 + random.nextInt(30)];
      long taken = 0;
      for (int step = 0; step < 5_000; step++) {
        int who = random.nextInt(own.length);
        long more = 1L + random.nextInt(5);
        if (FreeShare.allows(own[who], more, taken, 1_000)) {
          own[who] += more;
          taken += more;
        } else if (random.nextInt(10) == 0 && own[who] > 0) {
          own[who]--;
          taken--;
        }
        assertThat(taken).as("seed %d", seed).isLessThanOrEqualTo(1_000);
      }
      assertThat(FreeShare.allows(0, 1, taken, 1_000)).as("seed %d", seed).isTrue();
    }
  }

  @Test
  void places_are_taken_and_given_back_by_name() {
    FreeShare places = new FreeShare(60);
    assertThat(places.max()).isEqualTo(60);
    for (int i = 0; i < 10; i++) {
      assertThat(places.take("greedy", 1)).isTrue();
    }
    assertThat(places.take("greedy", 1)).isFalse();
    assertThat(places.of("greedy")).isEqualTo(10);
    assertThat(places.take("late", 5)).isTrue();
    assertThat(places.taken()).isEqualTo(15);
    places.leave("greedy", 10);
    assertThat(places.of("greedy")).isZero();
    assertThat(places.taken()).isEqualTo(5);
    assertThat(places.take("greedy", 11)).isTrue();
    assertThat(places.principals()).isEqualTo(2);
    places.leave("nobody", 0);
    places.leave("greedy", 11);
    assertThat(places.principals()).as("with places").isEqualTo(1);
  }

  @Test
  void clients_without_names_have_all_places_together() {
    FreeShare places = new FreeShare(60);
    assertThat(places.take("", 60)).isTrue();
    assertThat(places.allows("", 1)).isFalse();
    assertThat(places.allows("named", 1)).isFalse();
    places.leave("", 1);
    assertThat(places.take("named", 1)).isTrue();
  }

  @Test
  void what_was_there_before_is_counted_beyond_the_share() {
    FreeShare places = new FreeShare(60);
    places.add("stored", 50);
    assertThat(places.allows("stored", 1)).isFalse();
    assertThat(places.allows("other", 11)).isFalse();
    assertThat(places.allows("other", 10)).isTrue();
  }
}
