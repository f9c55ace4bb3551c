package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ChannelTurnsTest {

  /** What holdings were told since the last look: {@code open NAME}, or {@code NAME +BYTES}. */
  private final List<String> told = new ArrayList<>();

  /** The number of channels as it was told. */
  private int counted;

  /** A holding that opens at once, or only notes that it may. */
  private final class Holding implements ChannelTurns.Holding {
    private final String channelId;
    private final String name;

    Holding(String channelId, String name) {
      this.channelId = channelId;
      this.name = name;
    }

    @Override
    public String channelId() {
      return channelId;
    }

    @Override
    public void open() {
      told.add("open " + name);
    }

    @Override
    public void grant(int bytes) {
      told.add(name + " +" + bytes);
    }
  }

  private ChannelTurns<Holding> turns(long budget, int floor, int holdingMax) {
    return new ChannelTurns<>(budget, floor, holdingMax, count -> counted = count);
  }

  /** A holding of a channel of its own that is open already. */
  private Holding open(ChannelTurns<Holding> turns, String name) {
    Holding holding = new Holding(name, name);
    turns.add(holding);
    assertThat(told()).containsExactly("open " + name);
    turns.opened(holding);
    return holding;
  }

  private List<String> told() {
    List<String> last = List.copyOf(told);
    told.clear();
    return last;
  }

  @Test
  void a_channel_that_returns_opens_when_its_former_holding_has_ended() {
    ChannelTurns<Holding> turns = turns(1_000, 10, 300);
    Holding first = new Holding("a", "first");
    Holding second = new Holding("a", "second");
    Holding third = new Holding("a", "third");
    turns.add(first);
    turns.add(second);
    turns.add(third);
    assertThat(told()).containsExactly("open first");
    assertThat(counted).isEqualTo(1);

    turns.closed(second);
    assertThat(told()).isEmpty();
    assertThat(turns.has(second)).isFalse();

    turns.closed(first);
    assertThat(told()).containsExactly("open third");
    assertThat(turns.all()).containsExactly(third);

    turns.closed(third);
    assertThat(turns.isEmpty()).isTrue();
    assertThat(counted).isZero();
  }

  @Test
  void few_channels_have_all_that_one_may_have() {
    ChannelTurns<Holding> turns = turns(1_000, 10, 300);
    Holding a = open(turns, "a");
    assertThat(told()).containsExactly("a +300");
    open(turns, "b");
    assertThat(told()).containsExactly("b +300");
    turns.processed(a, 120);
    assertThat(told()).containsExactly("a +120");
  }

  @Test
  void what_comes_back_goes_to_those_who_came_later_until_all_have_their_share() {
    ChannelTurns<Holding> turns = turns(1_000, 10, 1_000);
    Holding a = open(turns, "a");
    assertThat(told()).containsExactly("a +1000");
    Holding b = open(turns, "b");
    assertThat(told()).containsExactly("b +10"); // The new channel does not starve.
    turns.processed(a, 400);
    assertThat(told()).containsExactly("b +390");
    turns.processed(a, 200);
    assertThat(told()).contains("b +100");
    assertThat(turns.granted(a)).isEqualTo(500);
    assertThat(turns.granted(b)).isEqualTo(500);
    turns.closed(b);
    assertThat(told()).containsExactly("a +500");
  }

  @Test
  void more_channels_than_the_budget_has_floors_for_have_their_floor() {
    ChannelTurns<Holding> turns = turns(100, 10, 50);
    Holding last = null;
    for (int i = 0; i < 30; i++) {
      last = open(turns, "channel " + i);
      told.clear();
    }
    assertThat(turns.share()).isEqualTo(10);
    assertThat(turns.granted(last)).isEqualTo(10);
  }

  @Test
  void credit_of_a_channel_that_is_not_open_cannot_come_back() {
    ChannelTurns<Holding> turns = turns(100, 10, 50);
    Holding a = open(turns, "a");
    Holding b = new Holding("b", "b");
    turns.add(b);
    assertThatThrownBy(() -> turns.processed(b, 1)).hasMessageContaining("is not open");
    assertThatThrownBy(() -> turns.opened(a)).hasMessageContaining("open already");
    told.clear();
    turns.closed(b);
    assertThat(told()).isEmpty();
  }

  @Test
  void a_delivery_that_overdraws_the_credit_gives_it_all_back() {
    ChannelTurns<Holding> turns = turns(1_000, 10, 300);
    Holding a = open(turns, "a");
    told.clear();
    turns.processed(a, 359);
    assertThat(told()).containsExactly("a +359");
    assertThat(turns.granted(a)).isEqualTo(300);
    assertThat(turns.total()).isEqualTo(300);
  }

  /** Holdings that open, end and use their credit at random, beside a count of their grants. */
  private static final class Simulation {
    private final Random random;
    private final long total;
    private final int floor;
    private final int holdingMax;
    private final ChannelTurns<Counted> turns;
    private final Map<Counted, Long> given = new LinkedHashMap<>();
    private final List<String> script = new ArrayList<>();
    private int names;

    private final class Counted implements ChannelTurns.Holding {
      private final int name;

      Counted(int name) {
        this.name = name;
      }

      @Override
      public String channelId() {
        return "channel " + name;
      }

      @Override
      public void open() {
        given.put(this, 0L);
        turns.opened(this);
      }

      @Override
      public void grant(int bytes) {
        assertThat(bytes).isPositive();
        given.merge(this, (long) bytes, Long::sum);
      }
    }

    Simulation(long seed) {
      random = new Random(seed);
      total = random.nextLong(1, 5_000);
      holdingMax = 1 + random.nextInt(1_000);
      floor = Math.min(holdingMax, 1 + random.nextInt(50));
      turns = new ChannelTurns<>(total, floor, holdingMax, count -> {});
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
        Counted added = new Counted(names++);
        script.add("add " + added.name);
        turns.add(added);
      } else if (kind < 3) {
        Counted removed = any();
        given.remove(removed);
        script.add("remove " + removed.name);
        turns.closed(removed);
      } else {
        bringBack(any(), random.nextBoolean());
      }
    }

    private Counted any() {
      return new ArrayList<>(given.keySet()).get(random.nextInt(given.size()));
    }

    private void bringBack(Counted holding, boolean isAll) {
      long has = given.get(holding);
      int overdrawn = isAll ? 0 : random.nextInt(4) / 3 * random.nextInt(3_000);
      int bytes = (isAll ? (int) has : 1 + random.nextInt((int) has)) + overdrawn;
      script.add("back " + holding.name + " " + bytes);
      given.put(holding, has - bytes);
      turns.processed(holding, bytes);
    }

    private long sum() {
      return given.values().stream().mapToLong(Long::longValue).sum();
    }

    private void check() {
      assertThat(turns.total()).as("counted once").isEqualTo(sum());
      assertThat(sum()).isLessThanOrEqualTo(total + (long) floor * given.size());
      given.forEach(
          (holding, bytes) -> {
            assertThat(turns.granted(holding)).isEqualTo(bytes);
            assertThat(bytes).as(holding.channelId()).isBetween((long) floor, (long) holdingMax);
          });
    }

    /** When all credit has returned twice, each holding has its share. */
    private void settle() {
      for (int round = 0; round < 2; round++) {
        for (Counted holding : List.copyOf(given.keySet())) {
          bringBack(holding, true);
        }
      }
      check();
      assertThat(sum()).isLessThanOrEqualTo(Math.max(total, (long) floor * given.size()));
      assertThat(given.values()).allMatch(bytes -> bytes == turns.share());
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
