package io.tunnel.server.partition.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class WriterLimitsTest {

  @Test
  void each_limit_has_a_smallest_and_a_largest_value() {
    assertThat(new WriterLimits(1_024, 1 << 20).countMax()).isEqualTo(1_024);
    assertThat(new WriterLimits(16 << 20, 1 << 20).answerBytesMax()).isEqualTo(1 << 20);
    for (int count : new int[] {0, 1_023, (16 << 20) + 1}) {
      assertThatThrownBy(() -> new WriterLimits(count, 1 << 20))
          .hasMessage("shard.writers.countMax is 1024 to 16777216, not " + count);
    }
    assertThatThrownBy(() -> new WriterLimits(1_024, (1 << 20) - 1))
        .hasMessage("shard.writers.answerBytesMax is at least 1048576 (1 MiB), not 1048575");
  }

  @Test
  void the_shares_of_all_shards_are_within_the_limits_of_the_server() {
    assertThat(new WriterLimits(3_000, 7 << 20).of(7))
        .isEqualTo(new WriterLimits.Share(428, 1 << 20));
    assertThat(WriterLimits.DEFAULT.of(1)).isEqualTo(new WriterLimits.Share(262_144, 67_108_864));
  }
}
