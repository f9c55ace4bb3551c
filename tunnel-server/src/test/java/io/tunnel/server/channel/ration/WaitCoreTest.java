package io.tunnel.server.channel.ration;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.channel.ration.WaitCore.Meanwhile;
import io.tunnel.server.channel.ration.WaitCore.Verdict;
import io.tunnel.server.channel.ration.WaitCore.Waits;
import org.junit.jupiter.api.Test;

final class WaitCoreTest {

  private static final long LOOK = 50_000_000;
  private static final long MS = 1_000_000;

  private final WaitCore core = new WaitCore(200);

  private static Waits waits(long meanMs) {
    return new Waits(LOOK, 10, 10 * meanMs * MS, 3);
  }

  private Verdict judge(long meanMs, Meanwhile meanwhile) {
    return core.judge(waits(meanMs), meanwhile);
  }

  private void learn(long meanMs, Meanwhile meanwhile, int seconds) {
    for (long nanos = 0; nanos < seconds * 1_000L * MS; nanos += LOOK) {
      judge(meanMs, meanwhile);
    }
  }

  @Test
  void waits_are_held_against_those_of_an_undisturbed_time() {
    learn(5, Meanwhile.NOTHING, 1);
    assertThat(judge(10, Meanwhile.MORE)).isEqualTo(Verdict.SHORT);
    assertThat(judge(11, Meanwhile.MORE)).isEqualTo(Verdict.LONG);
    assertThat(core.normalNanos()).as("disturbed ones teach nothing").isEqualTo(5e6);
  }

  @Test
  void they_are_too_long_as_long_as_nothing_is_known_of_them() {
    assertThat(judge(5, Meanwhile.MORE)).isEqualTo(Verdict.LONG);
    assertThat(judge(5, Meanwhile.THE_LEAST)).isEqualTo(Verdict.LONG);
    assertThat(judge(5, Meanwhile.MORE)).isEqualTo(Verdict.SHORT);
  }

  @Test
  void the_shortest_waits_are_never_long() {
    core.judge(new Waits(LOOK, 100, 100_000, 0), Meanwhile.NOTHING);
    assertThat(judge(1, Meanwhile.MORE)).isEqualTo(Verdict.SHORT);
    assertThat(judge(2, Meanwhile.MORE)).isEqualTo(Verdict.LONG);
  }

  @Test
  void writes_without_an_answer_wait_long_and_no_writes_do_not() {
    assertThat(core.judge(new Waits(20 * LOOK, 0, 0, 1), Meanwhile.MORE)).isEqualTo(Verdict.LONG);
    assertThat(core.judge(new Waits(20 * LOOK, 0, 0, 0), Meanwhile.MORE))
        .isEqualTo(Verdict.NO_WRITES);
  }

  @Test
  void a_load_that_changed_is_normal_within_seconds_and_at_the_least_ration_within_minutes() {
    learn(5, Meanwhile.NOTHING, 1);
    learn(20, Meanwhile.THE_LEAST, 20);
    assertThat(judge(20, Meanwhile.THE_LEAST)).isEqualTo(Verdict.LONG);
    learn(20, Meanwhile.THE_LEAST, 120);
    assertThat(judge(20, Meanwhile.THE_LEAST)).isEqualTo(Verdict.SHORT);
    learn(80, Meanwhile.NOTHING, 10);
    assertThat(judge(100, Meanwhile.MORE)).isEqualTo(Verdict.SHORT);
  }
}
