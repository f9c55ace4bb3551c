package io.tunnel.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.core.TunnelEffect.Assign;
import io.tunnel.core.TunnelEffect.Finish;
import io.tunnel.core.TunnelEffect.Revoke;
import io.tunnel.core.TunnelEffect.Take;
import io.tunnel.core.TunnelEffect.TakeReason;
import io.tunnel.model.value.Bytes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class TunnelCoreTest {

  private static final ChannelKey ONE = ChannelKey.stream(1);
  private static final ChannelKey TWO = ChannelKey.stream(2);

  static LongStream seeds() {
    return LongStream.range(0, 500);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void every_promise_holds_after_every_step(long seed) {
    TunnelSimulation simulation = new TunnelSimulation(seed);
    for (int step = 0; step < 300; step++) {
      simulation.step();
    }
  }

  @Test
  void what_is_released_unasked_comes_back_under_a_new_epoch() {
    TunnelCore core = core(Map.of(ONE, ChannelState.startingAt(0)));
    core.open("a", "tag", 1_000, 0, 0);
    assertThat(core.release("a", ONE, 1, 1))
        .containsExactly(new Take("a", ONE, 1, TakeReason.RELEASED), new Assign("a", ONE, 2, 0));
  }

  @Test
  void what_is_stopped_is_given_to_nobody_until_its_error_is_cleared() {
    TunnelCore core = core(Map.of(ONE, ChannelState.startingAt(0)));
    core.open("a", "tag", 1_000, 0, 0);
    assertThat(core.stop("a", ONE, 1, "broken", 1))
        .containsExactly(new Take("a", ONE, 1, TakeReason.STOPPED));
    assertThat(core.open("b", "tag", 1_000, 0, 2)).isEmpty();
    assertThat(core.view().get(0).error()).contains("broken");
    assertThat(core.update(Map.of(ONE, ChannelState.startingAt(0)), 3))
        .containsExactly(new Assign("a", ONE, 2, 0));
  }

  @Test
  void a_move_ends_at_its_deadline_and_not_before() {
    TunnelCore core =
        core(Map.of(ONE, ChannelState.startingAt(0), TWO, ChannelState.startingAt(0)));
    core.open("a", "tag", 1_000, 0, 0);
    assertThat(core.open("b", "tag", 1_000, 0, 10)).containsExactly(new Revoke("a", TWO, 2));
    assertThat(core.tick(10 + 49, true)).isEmpty();
    assertThat(core.tick(10 + 50, true))
        .containsExactly(new Take("a", TWO, 2, TakeReason.DEADLINE), new Assign("b", TWO, 3, 0));
  }

  @Test
  void a_seek_fences_the_holder_which_goes_on_at_the_new_place() {
    TunnelCore core = core(Map.of(ONE, ChannelState.startingAt(7)));
    core.open("a", "tag", 1_000, 0, 0);
    assertThat(core.seek(Map.of(ONE, ChannelState.startingAt(3)), 1))
        .containsExactly(new Take("a", ONE, 1, TakeReason.MOVED), new Assign("a", ONE, 2, 3));
  }

  @Test
  void a_seek_of_a_channel_that_is_asked_for_takes_it_and_the_rules_decide_who_gets_it() {
    TunnelCore core =
        core(Map.of(ONE, ChannelState.startingAt(0), TWO, ChannelState.startingAt(0)));
    core.open("a", "tag", 1_000, 0, 0);
    core.open("b", "tag", 1_000, 0, 10);
    assertThat(core.seek(Map.of(TWO, ChannelState.startingAt(3)), 11))
        .containsExactly(new Take("a", TWO, 2, TakeReason.MOVED), new Assign("b", TWO, 3, 3));
  }

  @Test
  void what_waits_is_assigned_behind_the_end_of_what_it_waits_for() {
    ChannelKey base = ChannelKey.base(1);
    TunnelCore core =
        new TunnelCore(
            new TreeMap<>(
                Map.of(base, ChannelState.startingAt(0), ONE, ChannelState.startingAt(9))),
            Map.of(ONE, List.of(base)),
            false,
            0,
            50);
    assertThat(core.open("a", "tag", 1_000, 0, 0)).containsExactly(new Assign("a", base, 1, 0));
    assertThat(core.view().get(1).waitsFor()).containsExactly(base);
    assertThat(core.endKnown(base, 4, 1)).isEmpty();
    core.checkpointed(base, 4);
    assertThat(core.release("a", base, 1, 2))
        .containsExactly(
            new Take("a", base, 1, TakeReason.RELEASED),
            new Finish(base, 4),
            new Assign("a", ONE, 2, 9));
    assertThat(core.seek(Map.of(base, ChannelState.startingAt(2)), 3))
        .as("what is taken up again is waited for again")
        .containsExactly(new Revoke("a", ONE, 2), new Assign("a", base, 3, 2));
  }

  @Test
  void a_start_finishes_what_a_crash_left_at_its_end() {
    ChannelState done =
        new ChannelState(
            5, Bytes.EMPTY, Optional.of(5L), false, false, Optional.of(StopReason.of("broken")));
    TunnelCore core = core(Map.of(ONE, done, TWO, ChannelState.startingAt(0)));
    assertThat(core.start()).containsExactly(new Finish(ONE, 5));
    assertThat(core.start()).isEmpty();
    assertThat(core.view().get(0).error()).isEmpty();
  }

  @Test
  void a_pause_asks_for_what_is_held_and_a_resume_gives_it_back() {
    TunnelCore core = core(Map.of(ONE, ChannelState.startingAt(0)));
    core.open("a", "tag", 1_000, 1, 0);
    assertThat(core.pause(true, 1)).containsExactly(new Revoke("a", ONE, 1));
    assertThat(core.pause(false, 2)).as("still on its way").isEmpty();
    assertThat(core.release("a", ONE, 1, 3))
        .containsExactly(new Take("a", ONE, 1, TakeReason.RELEASED), new Assign("a", ONE, 2, 0));
  }

  private static TunnelCore core(Map<ChannelKey, ChannelState> states) {
    return new TunnelCore(new TreeMap<>(states), Map.of(), false, 0, 50);
  }
}
