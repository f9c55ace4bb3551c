package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class UntakenTest {

  private final Untaken untaken = new Untaken(100, Long.MAX_VALUE);
  private final List<String> closed = new ArrayList<>();
  private final Untaken.Account lazy = untaken.open(why -> closed.add("lazy"), () -> {});
  private final Untaken.Account keen = untaken.open(why -> closed.add("keen"), () -> {});

  @Test
  void as_much_as_allowed_may_wait() {
    lazy.given(60);
    keen.given(40);
    assertThat(closed).isEmpty();
    assertThat(untaken.bytes()).isEqualTo(100);
  }

  @Test
  void beyond_that_the_one_goes_that_has_taken_nothing_for_longest() {
    lazy.given(10);
    for (int i = 0; i < 5; i++) {
      keen.given(90);
      keen.taken(90);
    }
    keen.given(91);
    assertThat(closed).containsExactly("lazy");
    assertThat(untaken.bytes()).isEqualTo(91);
    lazy.taken(10);
    assertThat(untaken.bytes()).as("it was settled before").isEqualTo(91);
  }

  @Test
  void whoever_owes_nothing_is_left_alone() {
    lazy.given(1);
    lazy.taken(1);
    keen.given(101);
    assertThat(closed).containsExactly("keen");
    assertThat(untaken.bytes()).isZero();
  }

  @Test
  void a_connection_that_goes_takes_its_bytes_with_it() {
    keen.given(80);
    keen.close();
    keen.close();
    keen.given(500);
    assertThat(untaken.bytes()).isZero();
    assertThat(closed).isEmpty();
  }
}
