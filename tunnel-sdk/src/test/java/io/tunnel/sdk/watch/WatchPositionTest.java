package io.tunnel.sdk.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WatchPositionTest {

  @Test
  void a_position_is_read_as_it_was_written() {
    WatchPosition position =
        new WatchPosition(
            Map.of(
                13, new WatchPosition.Place(Long.MAX_VALUE, Optional.of(9L)),
                7, new WatchPosition.Place(0, Optional.empty())));
    assertThat(position.toString()).isEqualTo("7@0,13@9223372036854775807/9");
    assertThat(WatchPosition.parse(position.toString())).isEqualTo(position);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "7",
        "7@",
        "@1",
        "7@1/",
        "7@1,",
        "7@-1",
        "7@1,7@2",
        "7@9999999999999999999",
        "9999999999@1",
        "7@1 ,8@2",
        "x"
      })
  void what_is_none_is_refused(String text) {
    assertThatThrownBy(() -> WatchPosition.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }
}
