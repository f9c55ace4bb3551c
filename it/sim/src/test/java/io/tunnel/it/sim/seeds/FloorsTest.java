package io.tunnel.it.sim.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** When a run says that something happened in too few worlds. */
class FloorsTest {

  private enum Event {
    SEEN
  }

  private static Floors<Event> floors(double percentMin, int worlds, int with) {
    Floors<Event> floors = new Floors<>(Event.class, event -> percentMin);
    for (int i = 0; i < worlds; i++) {
      floors.add(i < with ? Map.of(Event.SEEN, 2L) : Map.of());
    }
    return floors;
  }

  @Test
  void a_count_that_chance_explains_is_not_too_rare() {
    assertThat(floors(3, 300, 8).tooRare()).isEmpty();
    assertThat(floors(3, 300, 1).tooRare()).isEmpty();
    assertThat(floors(50, 300, 124).tooRare()).isEmpty();
    assertThat(floors(0.3, 300, 0).tooRare()).isEmpty();
    assertThat(floors(0, 300, 0).tooRare()).isEmpty();
    assertThat(floors(100, 300, 300).tooRare()).isEmpty();
  }

  @Test
  void a_count_that_chance_does_not_explain_is_too_rare() {
    assertThat(floors(3, 300, 0).tooRare())
        .containsExactly("SEEN in 0.00% of 300 worlds instead of 3.00%");
    assertThat(floors(50, 300, 122).tooRare()).hasSize(1);
    assertThat(floors(0.3, 20_000, 30).tooRare()).hasSize(1);
    assertThat(floors(95, 300, 260).tooRare()).hasSize(1);
  }

  @Test
  void what_happened_in_most_of_many_worlds_is_counted_without_rounding_to_zero() {
    assertThat(floors(95, 20_000, 18_900).tooRare()).hasSize(1);
    assertThat(floors(95, 20_000, 18_990).tooRare()).isEmpty();
  }
}
