package io.tunnel.flink.source.split;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.flink.source.GoldenState;
import io.tunnel.model.Bytes;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TunnelSplitSerializerTest {

  private final TunnelSplitSerializer serializer = new TunnelSplitSerializer();

  static Stream<Arguments> splits() {
    TunnelSplit rows =
        new TunnelSplit(
            7,
            new BasePart(BasePart.Kind.BEFORE_CHANGES, 3, Bytes.fromHex("038000000000000001")),
            40,
            Optional.empty(),
            Optional.of(9L),
            false);
    return Stream.of(
        Arguments.of("split-v1-changes.hex", TunnelSplit.changes(7, 1_000)),
        Arguments.of("split-v1-rows.hex", rows),
        Arguments.of(
            "split-v1-finished.hex",
            TunnelSplit.changes(8, 5).withEnd(Optional.of(5L), Optional.empty()).finished()));
  }

  @ParameterizedTest
  @MethodSource("splits")
  void a_split_has_the_bytes_of_version_1(String file, TunnelSplit split) throws IOException {
    byte[] golden = GoldenState.bytes(file);
    assertThat(Bytes.copyOf(serializer.serialize(split))).isEqualTo(Bytes.copyOf(golden));
    assertThat(serializer.deserialize(1, golden)).isEqualTo(split);
  }

  @ParameterizedTest
  @MethodSource("splits")
  void whatever_is_cut_off_added_or_of_another_version_is_refused(String file, TunnelSplit split)
      throws IOException {
    byte[] bytes = serializer.serialize(split);
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> serializer.deserialize(1, cut)).isInstanceOf(IOException.class);
    }
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    assertThatThrownBy(() -> serializer.deserialize(1, longer)).hasMessageContaining("behind");
    assertThatThrownBy(() -> serializer.deserialize(2, bytes)).hasMessageContaining("version 2");
    byte[] kind = bytes.clone();
    kind[4] = 9;
    assertThatThrownBy(() -> serializer.deserialize(1, kind)).hasMessageContaining("kind 9");
  }
}
