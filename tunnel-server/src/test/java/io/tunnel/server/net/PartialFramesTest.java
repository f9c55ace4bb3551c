package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PartialFramesTest {

  private static final int LARGE = 100;

  private final PartialFrames frames = new PartialFrames(3 * LARGE);
  private final List<String> crowdedOut = new ArrayList<>();
  private final PartialFrames.Holder first = () -> crowdedOut.add("first");
  private final PartialFrames.Holder second = () -> crowdedOut.add("second");
  private final PartialFrames.Holder third = () -> crowdedOut.add("third");

  @Test
  void frames_up_to_the_limit_disturb_nobody() {
    frames.holds(first, LARGE, true);
    frames.holds(second, LARGE, true);
    frames.holds(third, LARGE, true);
    assertThat(crowdedOut).isEmpty();
    assertThat(frames.bytes()).isEqualTo(3 * LARGE);
  }

  @Test
  void one_byte_more_costs_the_frame_that_began_first() {
    frames.holds(first, LARGE, true);
    frames.holds(second, LARGE, true);
    frames.holds(third, LARGE + 1, true);
    assertThat(crowdedOut).containsExactly("first");
    assertThat(frames.bytes()).isEqualTo(2 * LARGE + 1);
  }

  @Test
  void a_frame_that_grows_stays_as_old_as_it_is_and_the_next_one_of_its_connection_is_new() {
    frames.holds(first, 1, true);
    frames.holds(second, LARGE, true);
    frames.holds(first, LARGE, false);
    frames.holds(second, LARGE, true);
    frames.holds(third, 2 * LARGE, true);
    assertThat(crowdedOut).containsExactly("first");
  }

  @Test
  void what_is_whole_or_given_up_is_not_counted() {
    frames.holds(first, LARGE, true);
    frames.holds(first, 0, false);
    assertThat(frames.bytes()).isZero();
    frames.holds(second, 4 * LARGE, true);
    assertThat(crowdedOut).containsExactly("second");
    assertThat(frames.bytes()).isZero();
    frames.holds(second, 0, true);
    assertThat(frames.bytes()).isZero();
  }
}
