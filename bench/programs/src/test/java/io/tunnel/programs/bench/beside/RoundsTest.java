package io.tunnel.programs.bench.beside;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.programs.bench.peer.Figures;
import io.tunnel.programs.bench.peer.Look;
import org.junit.jupiter.api.Test;

class RoundsTest {

  private static final String RATE = "rows/s";

  private final Rounds rounds = new Rounds();

  private void add(String peer, double rate) {
    Figures figures = new Figures();
    figures.put(RATE, rate);
    rounds.add(Rounds.WRITE, peer, figures);
  }

  @Test
  void a_ratio_is_of_medians_and_not_of_rounds() {
    add("ours", 100);
    add("ours", 900);
    add("ours", 300);
    add("theirs", 200);
    add("theirs", 1_000);
    assertThat(rounds.ratio(Rounds.WRITE, RATE, "ours", "theirs")).isEqualTo(0.5);
    assertThat(rounds.ratio(Rounds.WRITE, RATE, "theirs", "ours")).isEqualTo(2);
  }

  @Test
  void there_is_no_ratio_to_what_was_not_measured_or_is_nothing() {
    add("ours", 100);
    add("nothing", 0);
    assertThat(rounds.ratio(Rounds.WRITE, RATE, "ours", "theirs")).isNaN();
    assertThat(rounds.ratio(Rounds.WRITE, RATE, "theirs", "ours")).isNaN();
    assertThat(rounds.ratio(Rounds.WRITE, RATE, "ours", "nothing")).isNaN();
    assertThat(rounds.ratio(Rounds.WRITE, RATE, "nothing", "ours")).isZero();
    assertThat(rounds.ratio(Rounds.WRITE, "another figure", "ours", "ours")).isNaN();
    assertThat(rounds.ratio(Rounds.read(Look.TOUCH), RATE, "ours", "ours")).isNaN();
  }

  @Test
  void a_round_whose_figure_is_not_known_does_not_count() {
    add("ours", Double.NaN);
    add("ours", 30);
    add("theirs", 10);
    add("unknown", Double.NaN);
    assertThat(rounds.ratio(Rounds.WRITE, RATE, "ours", "theirs")).isEqualTo(3);
    assertThat(rounds.ratio(Rounds.WRITE, RATE, "ours", "unknown")).isNaN();
  }
}
