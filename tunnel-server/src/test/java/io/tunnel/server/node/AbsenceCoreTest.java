package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AbsenceCoreTest {

  private final AbsenceCore absence = new AbsenceCore(1_000);

  @Test
  void it_is_too_long_when_patience_has_ended_and_over_when_the_node_is_found() {
    assertThat(absence.look(false, -5_000)).isFalse();
    assertThat(absence.look(true, -4_000)).isFalse();
    assertThat(absence.look(true, -3_001)).isFalse();
    assertThat(absence.look(true, -3_000)).isTrue();
    assertThat(absence.look(true, 9_000)).isTrue();
    assertThat(absence.look(false, 9_001)).isFalse();
  }

  @Test
  void two_short_absences_are_no_long_one() {
    for (long nanos = 0; nanos < 10_000; nanos += 1_000) {
      assertThat(absence.look(true, nanos)).isFalse();
      assertThat(absence.look(true, nanos + 999)).isFalse();
      assertThat(absence.look(false, nanos + 999)).isFalse();
    }
  }
}
