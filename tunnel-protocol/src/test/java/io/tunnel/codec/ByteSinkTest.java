package io.tunnel.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

/** How a sink grows. */
final class ByteSinkTest {

  @Test
  void a_sink_doubles_and_near_the_largest_array_takes_that() {
    assertThat(ByteSink.grown(16, 17)).isEqualTo(32);
    assertThat(ByteSink.grown(16, 100)).isEqualTo(100);
    assertThat(ByteSink.grown(1 << 30, (1L << 30) + 1)).isEqualTo(ByteSink.BYTES_MAX);
    assertThat(ByteSink.grown(1 << 30, ByteSink.BYTES_MAX)).isEqualTo(ByteSink.BYTES_MAX);
  }

  @Test
  void a_sink_says_how_much_does_not_fit() {
    assertThatIllegalStateException()
        .isThrownBy(() -> ByteSink.grown(1 << 30, ByteSink.BYTES_MAX + 1L))
        .withMessageContaining("2147483640");
  }
}
