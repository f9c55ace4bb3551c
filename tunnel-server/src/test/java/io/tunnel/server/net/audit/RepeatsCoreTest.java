package io.tunnel.server.net.audit;

import static io.tunnel.server.net.audit.RepeatsCore.OTHERS;
import static io.tunnel.server.net.audit.RepeatsCore.WINDOW_NANOS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.net.audit.RepeatsCore.Repeated;
import org.junit.jupiter.api.Test;

final class RepeatsCoreTest {

  private final RepeatsCore core = new RepeatsCore(2, 3);

  private boolean take(String who, long nowNanos) {
    return core.take(who, nowNanos, nowNanos / 1_000_000);
  }

  @Test
  void the_first_have_a_line_and_the_others_are_counted() {
    assertThat(take("a", 0)).isTrue();
    assertThat(take("a", 1)).isTrue();
    assertThat(take("a", 2)).isTrue();
    assertThat(take("a", 3)).isFalse();
    assertThat(take("a", WINDOW_NANOS - 1)).isFalse();
    assertThat(core.ended(WINDOW_NANOS - 1)).isEmpty();
    assertThat(core.ended(WINDOW_NANOS)).containsExactly(new Repeated("a", 2, 0));
    assertThat(core.size()).isZero();
    assertThat(take("a", WINDOW_NANOS)).isTrue();
  }

  @Test
  void where_nothing_was_only_counted_nothing_is_said() {
    assertThat(take("a", 0)).isTrue();
    assertThat(core.ended(WINDOW_NANOS)).isEmpty();
    assertThat(core.size()).isZero();
  }

  @Test
  void one_beyond_those_that_have_a_window_is_counted_without_a_name() {
    assertThat(take("a", 0)).isTrue();
    assertThat(take("b", 0)).isTrue();
    assertThat(take("c", 1)).isFalse();
    assertThat(take("d", 2)).isFalse();
    assertThat(take("a", 2)).isTrue();
    assertThat(core.size()).isEqualTo(3);
    assertThat(core.ended(WINDOW_NANOS + 1)).containsExactly(new Repeated(OTHERS, 2, 0));
    assertThat(core.size()).isZero();
  }

  @Test
  void at_the_end_all_that_was_only_counted_is_said() {
    for (int i = 0; i < 4; i++) {
      boolean unused = take("a", 5_000_000);
    }
    assertThat(core.all()).containsExactly(new Repeated("a", 1, 5));
    assertThat(core.all()).isEmpty();
  }
}
