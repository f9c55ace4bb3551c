package io.tunnel.sdk.worker.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.sdk.worker.input.BudgetCore.Grant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BudgetCoreTest {

  @Test
  void few_channels_have_all_that_one_may_have() {
    BudgetCore<String> budget = new BudgetCore<>(1_000, 10, 300);
    assertThat(budget.add("a")).containsExactly(new Grant<>("a", 300));
    assertThat(budget.add("b")).containsExactly(new Grant<>("b", 300));
    assertThat(budget.returned("a", 120)).containsExactly(new Grant<>("a", 120));
  }

  @Test
  void what_comes_back_goes_to_those_who_came_later_until_all_have_their_share() {
    BudgetCore<String> budget = new BudgetCore<>(1_000, 10, 1_000);
    assertThat(budget.add("a")).containsExactly(new Grant<>("a", 1_000));
    assertThat(budget.add("b")).containsExactly(new Grant<>("b", 10)); // It does not starve.
    assertThat(budget.returned("a", 400)).containsExactly(new Grant<>("b", 390));
    assertThat(budget.returned("a", 200)).contains(new Grant<>("b", 100));
    assertThat(budget.granted("a")).isEqualTo(500);
    assertThat(budget.granted("b")).isEqualTo(500);
    assertThat(budget.remove("b")).containsExactly(new Grant<>("a", 500));
  }

  @Test
  void more_channels_than_the_budget_has_floors_for_have_their_floor() {
    BudgetCore<Integer> budget = new BudgetCore<>(100, 10, 50);
    for (int i = 0; i < 30; i++) {
      var unused = budget.add(i);
    }
    assertThat(budget.share()).isEqualTo(10);
    assertThat(budget.granted(29)).isEqualTo(10);
  }

  @Test
  void credit_of_a_channel_that_is_not_there_cannot_come_back() {
    BudgetCore<String> budget = new BudgetCore<>(100, 10, 50);
    var unused = budget.add("a");
    assertThatThrownBy(() -> budget.returned("b", 1)).hasMessageContaining("that is not there");
    assertThatThrownBy(() -> budget.add("a")).hasMessageContaining("twice");
    assertThat(budget.remove("b")).isEmpty();
  }

  @Test
  void a_delivery_that_overdraws_the_credit_gives_it_all_back() {
    BudgetCore<String> budget = new BudgetCore<>(1_000, 10, 300);
    var unused = budget.add("a");
    assertThat(budget.returned("a", 359)).containsExactly(new Grant<>("a", 359));
    assertThat(budget.granted("a")).isEqualTo(300);
    assertThat(budget.total()).isEqualTo(300);
  }

  /**
   * Channels that come, go and use their credit at random, beside a count of what each was given.
   */
  private static final class Simulation {
    private final Random random;
    private final long total;
    private final int floor;
    private final int channelMax;
    private final BudgetCore<Integer> budget;
    private final Map<Integer, Long> given = new LinkedHashMap<>();
    private final List<String> script = new ArrayList<>();
    private int names;

    Simulation(long seed) {
      random = new Random(seed);
      total = random.nextLong(1, 5_000);
      channelMax = 1 + random.nextInt(1_000);
      floor = Math.min(channelMax, 1 + random.nextInt(50));
      budget = new BudgetCore<>(total, floor, channelMax);
    }

    void run() {
      for (int i = 0; i < 200; i++) {
        step();
        check();
      }
      settle();
    }

    private void step() {
      int kind = random.nextInt(10);
      if (kind < 2 || given.isEmpty()) {
        int name = names++;
        given.put(name, 0L);
        script.add("add " + name);
        give(budget.add(name));
      } else if (kind < 3) {
        int name = any();
        given.remove(name);
        script.add("remove " + name);
        give(budget.remove(name));
      } else {
        bringBack(any(), random.nextBoolean());
      }
    }

    private int any() {
      return new ArrayList<>(given.keySet()).get(random.nextInt(given.size()));
    }

    private void bringBack(int name, boolean isAll) {
      long has = given.get(name);
      int overdrawn = isAll ? 0 : random.nextInt(4) / 3 * random.nextInt(3_000);
      int bytes = (isAll ? (int) has : 1 + random.nextInt((int) has)) + overdrawn;
      script.add("back " + name + " " + bytes);
      given.put(name, has - bytes);
      give(budget.returned(name, bytes));
    }

    private void give(List<Grant<Integer>> grants) {
      for (Grant<Integer> grant : grants) {
        assertThat(grant.bytes()).isPositive();
        given.merge(grant.channel(), (long) grant.bytes(), Long::sum);
      }
    }

    private long sum() {
      return given.values().stream().mapToLong(Long::longValue).sum();
    }

    private void check() {
      assertThat(budget.total()).as("counted once").isEqualTo(sum());
      assertThat(sum()).isLessThanOrEqualTo(total + (long) floor * given.size());
      given.forEach(
          (name, bytes) -> {
            assertThat(budget.granted(name)).isEqualTo(bytes);
            assertThat(bytes).as("channel %d", name).isBetween((long) floor, (long) channelMax);
          });
    }

    /** When everybody's credit has come back twice, each has its share. */
    private void settle() {
      for (int round = 0; round < 2; round++) {
        for (int name : List.copyOf(given.keySet())) {
          bringBack(name, true);
        }
      }
      check();
      assertThat(sum()).isLessThanOrEqualTo(Math.max(total, (long) floor * given.size()));
      assertThat(given.values()).allMatch(bytes -> bytes == budget.share());
    }
  }

  @Test
  void the_budget_is_kept_and_nobody_starves_whatever_happens() {
    for (long seed = 0; seed < 500; seed++) {
      Simulation simulation = new Simulation(seed);
      try {
        simulation.run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + "\n" + String.join("\n", simulation.script), e);
      }
    }
  }
}
