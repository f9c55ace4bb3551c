package io.tunnel.programs.bench.beside;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.programs.bench.peer.Arrivals;
import io.tunnel.programs.bench.peer.Figures;
import io.tunnel.programs.bench.peer.Look;
import io.tunnel.programs.bench.peer.Peer;
import io.tunnel.programs.bench.peer.RowReader;
import io.tunnel.programs.bench.peer.RowWriter;
import io.tunnel.programs.bench.peer.WriteRound;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ExperimentTest {

  private final List<String> steps = new ArrayList<>();
  private final Rounds rounds = new Rounds();
  private final Experiment experiment = new Experiment(steps::add, rounds);

  /** Has these rates, one a round. */
  private record Rated(String name, Deque<Double> rates) implements Peer {

    static Rated of(String name, Double... rates) {
      return new Rated(name, new ArrayDeque<>(List.of(rates)));
    }

    Figures next() {
      Figures figures = new Figures();
      figures.put(WriteRound.RATE, rates.remove());
      return figures;
    }

    @Override
    public void create(String table, int partitions) {}

    @Override
    public void drop(String table) {}

    @Override
    public RowWriter openWriter(String table) {
      throw new UnsupportedOperationException();
    }

    @Override
    public RowReader openReader(String table, Look look, Arrivals arrivals) {
      throw new UnsupportedOperationException();
    }

    @Override
    public OptionalLong serverCpuNanos() {
      return OptionalLong.empty();
    }
  }

  private static Experiment.Test<Rated> test(Optional<Experiment.Round<Rated>> warmUp) {
    return new Experiment.Test<>("write", "8 partitions: write", warmUp, Rated::next);
  }

  @Test
  void peers_warm_up_until_two_rates_are_alike_and_then_take_turns() throws Exception {
    Rated a = Rated.of("a", 50.0, 80.0, 88.0, 100.0, 101.0);
    Rated b = Rated.of("b", 9.0, 10.0, 10.0, 11.0);
    experiment.run(test(Optional.of(Rated::next)), List.of(a, b), 2);
    assertThat(steps)
        .containsExactly(
            "8 partitions: write, a, warm-up",
            "8 partitions: write, a, warm-up",
            "8 partitions: write, a, warm-up",
            "8 partitions: write, b, warm-up",
            "8 partitions: write, b, warm-up",
            "8 partitions: write, a, 1 of 2",
            "8 partitions: write, b, 1 of 2",
            "8 partitions: write, a, 2 of 2",
            "8 partitions: write, b, 2 of 2");
    assertThat(rounds.median("write", "a", WriteRound.RATE)).isEqualTo(100.5);
    assertThat(rounds.median("write", "b", WriteRound.RATE)).isEqualTo(10.5);
  }

  @Test
  void rates_that_are_never_steady_end_the_warm_up_after_three_rounds() throws Exception {
    Rated a = Rated.of("a", 1.0, 2.0, 4.0, 8.0);
    experiment.run(test(Optional.of(Rated::next)), List.of(a), 1);
    assertThat(rounds.median("write", "a", WriteRound.RATE)).isEqualTo(8);
  }

  @Test
  void without_a_warm_up_the_first_round_counts() throws Exception {
    experiment.run(test(Optional.empty()), List.of(Rated.of("a", 3.0)), 1);
    assertThat(rounds.median("write", "a", WriteRound.RATE)).isEqualTo(3);
  }

  @Test
  void a_tenth_of_the_higher_rate_is_steady_and_more_is_not() {
    WarmUpCore steady = new WarmUpCore();
    steady.ended(100);
    assertThat(steady.isOver()).isFalse();
    steady.ended(90);
    assertThat(steady.isOver()).isTrue();
    WarmUpCore rising = new WarmUpCore();
    rising.ended(89.9);
    rising.ended(100);
    assertThat(rising.isOver()).isFalse();
  }
}
