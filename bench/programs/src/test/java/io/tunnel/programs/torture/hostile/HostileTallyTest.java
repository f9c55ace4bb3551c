package io.tunnel.programs.torture.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HostileTallyTest {

  private final HostileTally tally = new HostileTally(7);

  @BeforeEach
  void a_wave_with_one_attempt_that_nobody_answered() {
    tally.health(true);
    Attack attack = Attack.UNPROVED_REQUEST;
    tally.came(
        new AttackProgram.Counts(
            0, Map.of(attack, 5), Map.of(), List.of("garbage: no answer"), 0, List.of()));
  }

  @Test
  void what_is_not_answered_is_a_server_that_hangs_while_others_are_answered() {
    tally.attacked.recordValue(TimeUnit.MILLISECONDS.toNanos(40));
    assertThat(tally.isClean()).isFalse();
    assertThat(tally.lines(1_000))
        .anyMatch(line -> line.startsWith("HANGS: 1 attempt") && line.contains("garbage"))
        .noneMatch(line -> line.startsWith("FOUND"));
  }

  @Test
  void a_slow_machine_is_no_break_in() {
    tally.attacked.recordValue(TimeUnit.SECONDS.toNanos(9));
    assertThat(tally.isClean()).isTrue();
    assertThat(tally.lines(1_000))
        .anyMatch(line -> line.startsWith("too slow to tell: 1 attempt"))
        .anyMatch(line -> line.contains("the ordinary client waited 9.0 s at most"))
        .anyMatch(line -> line.endsWith("nothing was obtained"));
    assertThat(tally.json(1_000)).contains("\"unanswered\":1", "\"obtained\":0");
  }

  @Test
  void what_was_obtained_is_found_on_a_slow_machine_too() {
    tally.attacked.recordValue(TimeUnit.SECONDS.toNanos(9));
    tally.found("a secret");
    assertThat(tally.isClean()).isFalse();
  }
}
