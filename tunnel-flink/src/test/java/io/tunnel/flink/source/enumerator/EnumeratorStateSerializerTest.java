package io.tunnel.flink.source.enumerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.flink.source.GoldenState;
import io.tunnel.flink.source.split.TunnelSplit;
import io.tunnel.model.value.Bytes;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class EnumeratorStateSerializerTest {

  private final EnumeratorStateSerializer serializer = new EnumeratorStateSerializer();

  static Stream<Arguments> states() {
    return Stream.of(
        Arguments.of("enumerator-v3-empty.hex", EnumeratorState.EMPTY),
        Arguments.of(
            "enumerator-v3.hex",
            state(Set.of(8, 9), TunnelSplit.changes(9, 0).in(Optional.of(9L)))));
  }

  private static EnumeratorState state(Set<Integer> whole, TunnelSplit waiting) {
    return new EnumeratorState(
        Optional.of(3),
        Set.of(7, 8, 9),
        Set.of(7),
        whole,
        List.of(new WaitingSplit(waiting, List.of(7, 8))));
  }

  @ParameterizedTest
  @MethodSource("states")
  void a_state_has_the_bytes_of_version_3(String file, EnumeratorState state) throws IOException {
    byte[] golden = GoldenState.bytes(file);
    assertThat(Bytes.copyOf(serializer.serialize(state))).isEqualTo(Bytes.copyOf(golden));
    assertThat(serializer.deserialize(3, golden)).isEqualTo(state);
  }

  @ParameterizedTest
  @MethodSource("states")
  void whatever_is_cut_off_added_or_of_another_version_is_refused(
      String file, EnumeratorState state) throws IOException {
    byte[] bytes = serializer.serialize(state);
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> serializer.deserialize(3, cut)).isInstanceOf(IOException.class);
    }
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    assertThatThrownBy(() -> serializer.deserialize(3, longer)).hasMessageContaining("behind");
    assertThatThrownBy(() -> serializer.deserialize(2, bytes))
        .hasMessageContaining("source has version 2")
        .hasMessageContaining("a build before 0.1.0 wrote it");
  }
}
