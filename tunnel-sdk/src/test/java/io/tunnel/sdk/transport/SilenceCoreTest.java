package io.tunnel.sdk.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.transport.SilenceCore.Finding;
import org.junit.jupiter.api.Test;

class SilenceCoreTest {

  @Test
  void silence_that_a_question_does_not_break_is_found_at_the_look_behind_it() {
    SilenceCore core = new SilenceCore();
    assertThat(core.look(true, 5)).isEqualTo(Finding.FINE);
    assertThat(core.look(true, 5)).isEqualTo(Finding.ASK);
    assertThat(core.look(true, 5)).isEqualTo(Finding.SILENT);
  }

  @Test
  void whatever_comes_begins_it_anew() {
    SilenceCore core = new SilenceCore();
    for (int bytes = 1; bytes < 10; bytes++) {
      assertThat(core.look(true, bytes)).isEqualTo(Finding.FINE);
      assertThat(core.look(true, bytes)).isEqualTo(Finding.ASK);
    }
  }

  @Test
  void nobody_who_waits_is_nobody_who_is_kept_waiting() {
    SilenceCore core = new SilenceCore();
    for (int i = 0; i < 5; i++) {
      assertThat(core.look(true, 5)).isEqualTo(Finding.FINE);
      assertThat(core.look(false, 5)).isEqualTo(Finding.FINE);
    }
  }
}
