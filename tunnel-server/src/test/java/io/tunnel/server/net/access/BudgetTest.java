package io.tunnel.server.net.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class BudgetTest {

  private static final int LARGE = 100;

  private final Budget<String> budget = new Budget<>(3 * LARGE);
  private final List<String> evicted = new ArrayList<>();

  @Test
  void holders_up_to_the_bound_disturb_nobody() {
    for (String holder : List.of("first", "second", "third")) {
      budget.set(holder, LARGE);
    }
    budget.relieve(evicted::add);
    assertThat(evicted).isEmpty();
    assertThat(budget.taken()).isEqualTo(3 * LARGE);
  }

  @Test
  void one_more_costs_the_holder_that_came_first() {
    budget.set("first", LARGE);
    budget.set("second", LARGE);
    budget.set("third", LARGE + 1);
    budget.relieve(evicted::add);
    assertThat(evicted).containsExactly("first");
    assertThat(budget.taken()).isEqualTo(2 * LARGE + 1);
  }

  @Test
  void a_holder_that_grows_stays_as_old_as_it_is_and_one_that_gave_something_back_is_young() {
    budget.set("first", 1);
    budget.set("second", LARGE + 1);
    budget.set("first", LARGE);
    budget.give("second", 1);
    budget.take("third", 2 * LARGE);
    budget.relieve(evicted::add);
    assertThat(evicted).containsExactly("first");
  }

  @Test
  void a_holder_that_alone_has_too_much_is_evicted_and_may_come_again() {
    budget.set("second", 4 * LARGE);
    budget.relieve(evicted::add);
    assertThat(evicted).containsExactly("second");
    assertThat(budget.taken()).isZero();
    budget.set("second", 0);
    assertThat(budget.taken()).isZero();
    assertThat(budget.tryTake("second", 3 * LARGE)).isTrue();
  }

  @Test
  void what_no_holder_has_is_not_relieved() {
    assertThat(budget.tryTake(4 * LARGE, true)).isTrue();
    budget.relieve(evicted::add);
    assertThat(evicted).isEmpty();
    assertThat(budget.tryTake(1)).isFalse();
    budget.give(4 * LARGE);
    assertThat(budget.tryTake(3 * LARGE)).isTrue();
  }

  @Test
  void a_holder_cannot_give_back_more_than_it_has() {
    budget.take("first", 5);
    assertThatThrownBy(() -> budget.give("first", 6)).isInstanceOf(IllegalStateException.class);
    assertThat(budget.taken()).isEqualTo(5);
  }

  /** What a budget must do, in the plainest form; its holders are in the order of their ages. */
  private static final class Model {
    private final long max;
    private final long ofHolderMax;
    private final Map<Integer, Long> byHolder = new LinkedHashMap<>();
    private long nobodys;

    Model(long max, long ofHolderMax) {
      this.max = max;
      this.ofHolderMax = ofHolderMax;
    }

    long taken() {
      return nobodys + byHolder.values().stream().mapToLong(Long::longValue).sum();
    }

    long of(int holder) {
      return byHolder.getOrDefault(holder, 0L);
    }

    boolean tryTake(int holder, long more, long holderMax) {
      boolean fits = of(holder) + more <= holderMax && taken() + more <= max;
      if (fits) {
        set(holder, of(holder) + more);
      }
      return fits;
    }

    void set(int holder, long amount) {
      if (amount < of(holder)) {
        byHolder.remove(holder);
      }
      if (amount > 0) {
        byHolder.put(holder, amount);
      }
    }

    List<Integer> relieve() {
      List<Integer> evicted = new ArrayList<>();
      while (taken() > max && !byHolder.isEmpty()) {
        int oldest = byHolder.keySet().iterator().next();
        byHolder.remove(oldest);
        evicted.add(oldest);
      }
      return evicted;
    }
  }

  @Test
  void any_holders_in_any_order_keep_the_bounds_and_the_oldest_is_evicted_first() {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      long max = 1L + random.nextInt(200);
      long ofHolderMax = 1L + random.nextInt(100);
      Budget<Integer> budget = new Budget<>(max, ofHolderMax);
      Model model = new Model(max, ofHolderMax);
      for (int step = 0; step < 500; step++) {
        step(random, budget, model, "seed " + seed + ", step " + step);
      }
    }
  }

  private static void step(Random random, Budget<Integer> budget, Model model, String where) {
    int holder = random.nextInt(6);
    long amount = random.nextInt(60);
    switch (random.nextInt(7)) {
      case 0 -> {
        boolean isFirst = random.nextInt(20) == 0;
        boolean fits = model.taken() + amount <= model.max || isFirst;
        assertThat(budget.tryTake(amount, isFirst)).as(where).isEqualTo(fits);
        model.nobodys += fits ? amount : 0;
      }
      case 1 -> {
        long less = Math.min(amount, model.nobodys);
        budget.give(less);
        model.nobodys -= less;
      }
      case 2 -> {
        long holderMax = random.nextBoolean() ? model.ofHolderMax : Budget.UNBOUNDED;
        boolean fits = model.tryTake(holder, amount, holderMax);
        assertThat(budget.tryTake(holder, amount, holderMax)).as(where).isEqualTo(fits);
      }
      case 3 -> {
        boolean fits = model.tryTake(holder, amount, model.ofHolderMax);
        assertThat(budget.tryTake(holder, amount)).as(where).isEqualTo(fits);
      }
      case 4 -> {
        long less = Math.min(amount, model.of(holder));
        budget.give(holder, less);
        model.set(holder, model.of(holder) - less);
      }
      case 5 -> {
        budget.set(holder, amount);
        model.set(holder, amount);
      }
      default -> {
        budget.take(holder, amount);
        model.set(holder, model.of(holder) + amount);
        List<Integer> evicted = new ArrayList<>();
        budget.relieve(evicted::add);
        assertThat(evicted).as(where).isEqualTo(model.relieve());
      }
    }
    assertThat(budget.taken()).as(where).isEqualTo(model.taken());
    Map<Integer, Long> amounts = new HashMap<>();
    IntStream.range(0, 6)
        .filter(each -> budget.of(each) > 0)
        .forEach(each -> amounts.put(each, budget.of(each)));
    assertThat(amounts).as(where).isEqualTo(model.byHolder);
  }

  @Test
  void threads_that_take_and_give_never_have_more_than_the_bounds_and_leave_nothing() {
    Budget<Integer> shared = new Budget<>(10, 4);
    IntStream.range(0, 8)
        .parallel()
        .forEach(
            thread -> {
              int holder = thread % 3;
              for (int i = 0; i < 10_000; i++) {
                if (shared.tryTake(holder, 1 + i % 3)) {
                  shared.give(holder, 1 + i % 3);
                }
                if (shared.tryTake(2)) {
                  shared.give(2);
                }
              }
            });
    assertThat(shared.taken()).isZero();
    assertThat(shared.of(0) + shared.of(1) + shared.of(2)).isZero();
  }
}
