package io.tunnel.server.channel.ration;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class RationConfigTest {

  private static final long RATE_MAX = 1L << 40;

  @Test
  void rates_and_bounds_work_up_to_their_limits() {
    assertThatCode(() -> new RationConfig(true, 0, 1, 110)).doesNotThrowAnyException();
    assertThatCode(() -> new RationConfig(true, Long.MAX_VALUE, RATE_MAX, 10_000))
        .doesNotThrowAnyException();
  }

  @Test
  void those_beyond_are_refused_with_what_would_be_right() {
    assertThatThrownBy(() -> new RationConfig(true, -1, 1, 200))
        .hasMessage("catchUp.liveBytesMax is 0 or more, not -1");
    assertThatThrownBy(() -> new RationConfig(true, 0, 0, 200))
        .hasMessage("catchUp.bytesPerSecondMin is 1 to 1099511627776 (1 TiB), not 0");
    assertThatThrownBy(() -> new RationConfig(true, 0, RATE_MAX + 1, 200))
        .hasMessageContaining("not 1099511627777");
    assertThatThrownBy(() -> new RationConfig(true, 0, 1, 109))
        .hasMessage("catchUp.waitPercentMax is 110 to 10000, not 109");
    assertThatThrownBy(() -> new RationConfig(true, 0, 1, 10_001))
        .hasMessageContaining("not 10001");
  }
}
