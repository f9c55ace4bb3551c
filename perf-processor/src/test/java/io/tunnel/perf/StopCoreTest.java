package io.tunnel.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class StopCoreTest {

  private static final OptionalLong NEVER = OptionalLong.empty();

  @Test
  void a_run_without_limits_never_ends_by_itself() {
    StopCore stop = new StopCore(0, NEVER, NEVER, NEVER);
    assertThat(stop.reason(Long.MAX_VALUE, Long.MAX_VALUE)).isEmpty();
  }

  @Test
  void it_ends_with_the_last_row_asked_for() {
    StopCore stop = new StopCore(0, OptionalLong.of(100), NEVER, NEVER);
    assertThat(stop.reason(1, 99)).isEmpty();
    assertThat(stop.reason(2, 100)).contains("rows");
  }

  @Test
  void it_ends_after_its_duration_whatever_comes() {
    StopCore stop = new StopCore(-10, NEVER, OptionalLong.of(50), NEVER);
    assertThat(stop.reason(39, 5)).isEmpty();
    assertThat(stop.reason(40, 6)).contains("duration");
  }

  @Test
  void idleness_counts_from_the_last_progress_that_was_seen() {
    StopCore stop = new StopCore(0, NEVER, NEVER, OptionalLong.of(10));
    assertThat(stop.reason(9, 0)).isEmpty();
    assertThat(stop.reason(9, 1)).isEmpty();
    assertThat(stop.reason(18, 1)).isEmpty();
    assertThat(stop.reason(19, 1)).contains("idle");
    assertThat(new StopCore(0, NEVER, NEVER, OptionalLong.of(10)).reason(10, 0)).contains("idle");
  }
}
