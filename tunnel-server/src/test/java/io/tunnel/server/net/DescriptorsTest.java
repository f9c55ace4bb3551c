package io.tunnel.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.net.NetServer.Descriptors;
import org.junit.jupiter.api.Test;

class DescriptorsTest {

  @Test
  void a_quarter_of_the_descriptors_is_kept_for_files() {
    assertThat(Descriptors.fitting(10_000, 1_048_576, 64)).isEqualTo(10_000);
    assertThat(Descriptors.fitting(10_000, 4_096, 64)).isEqualTo(4_096 - 1_024 - 64 - 64);
    assertThat(Descriptors.fitting(10_000, 1_024, 64)).isEqualTo(1_024 - 256 - 64 - 64);
    assertThat(Descriptors.fitting(10_000, 300, 64)).isEqualTo(1);
  }
}
