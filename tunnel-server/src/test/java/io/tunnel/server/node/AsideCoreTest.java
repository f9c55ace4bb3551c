package io.tunnel.server.node;

import static io.tunnel.server.node.AsideCore.PAUSE_NANOS_MAX;
import static io.tunnel.server.node.AsideCore.PAUSE_NANOS_MIN;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AsideCoreTest {

  private static final boolean FULL = true;
  private static final boolean ROOM = false;

  private final AsideCore core = new AsideCore(0);
  private long now = 1;

  private boolean look(boolean isFull) {
    return core.look(isFull, now);
  }

  @Test
  void a_node_with_room_takes_part() {
    assertThat(look(ROOM)).isFalse();
    now += 10 * PAUSE_NANOS_MAX;
    assertThat(look(ROOM)).isFalse();
  }

  @Test
  void one_without_room_steps_aside_at_once_and_comes_back_when_there_was_room_for_a_while() {
    assertThat(look(FULL)).isTrue();
    now += PAUSE_NANOS_MIN - 1;
    assertThat(look(ROOM)).isTrue();
    assertThat(look(FULL)).isTrue();
    now += PAUSE_NANOS_MIN - 1;
    assertThat(look(ROOM)).as("it was full meanwhile").isTrue();
    now += 1;
    assertThat(look(ROOM)).isFalse();
  }

  @Test
  void whoever_is_full_again_and_again_stays_away_for_longer_and_longer_up_to_a_limit() {
    long pause = PAUSE_NANOS_MIN;
    for (int i = 0; i < 20; i++) {
      assertThat(look(FULL)).isTrue();
      now += pause - 1;
      assertThat(look(ROOM)).isTrue();
      now += 1;
      assertThat(look(ROOM)).isFalse();
      pause = Math.min(2 * pause, PAUSE_NANOS_MAX);
    }
    assertThat(pause).isEqualTo(PAUSE_NANOS_MAX);
    now += PAUSE_NANOS_MAX;
    assertThat(look(FULL)).isTrue();
    now += PAUSE_NANOS_MIN;
    assertThat(look(ROOM)).as("that was long ago").isFalse();
  }
}
