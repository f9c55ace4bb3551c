package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientConfigTest {

  @ParameterizedTest
  @CsvSource({
    "localhost, localhost, 7650",
    "localhost:1, localhost, 1",
    "10.0.0.1:65535, 10.0.0.1, 65535",
    "[::1]:7651, ::1, 7651",
    "[::1], ::1, 7650"
  })
  void an_endpoint_is_a_host_and_perhaps_a_port(String endpoint, String host, int port) {
    ClientConfig config = ClientConfig.of(endpoint);
    assertThat(config.host()).isEqualTo(host);
    assertThat(config.port()).isEqualTo(port);
    assertThat(ClientConfig.of(config.endpoint())).isEqualTo(config);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", ":1", "a:", "a:b", "a:0", "a:65536", "a:-1", "::1", "[::1", "::1]", "[]", "a:1:2"
      })
  void what_is_no_endpoint_is_refused(String text) {
    assertThatThrownBy(() -> ClientConfig.of(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void limits_are_checked() {
    ClientConfig config = ClientConfig.of("localhost");
    assertThatThrownBy(() -> config.withConnectDeadline(Duration.ZERO))
        .hasMessageContaining("connectDeadline");
    assertThatThrownBy(() -> config.withRequestDeadline(Duration.ofNanos(1)))
        .hasMessageContaining("requestDeadline");
    assertThatThrownBy(() -> config.withInFlightBytesMax(0))
        .hasMessageContaining("inFlightBytesMax");
    assertThatThrownBy(() -> config.withRetryDeadline(Duration.ofMillis(-1)))
        .hasMessageContaining("retryDeadline");
    assertThat(config.withRetryDeadline(Duration.ZERO).retryDeadline()).isZero();
  }
}
