package io.tunnel.flink.source.split;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.flink.source.GoldenState;
import io.tunnel.model.value.Bytes;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TunnelSplitSerializerTest {

  private final TunnelSplitSerializer serializer = new TunnelSplitSerializer();

  private static final Bytes KEY = Bytes.fromHex("038000000000000001");

  private static TunnelSplit rows(List<RowRange> ranges) {
    return TunnelSplit.changes(7, 40)
        .withBase(new BasePart(BasePart.Kind.BEFORE_CHANGES, 3, KEY, ranges))
        .withEnd(Optional.empty(), Optional.of(9L));
  }

  static Stream<Arguments> splits() {
    List<RowRange> ranges =
        List.of(new RowRange(KEY, 41), new RowRange(Bytes.fromHex("038000000000000005"), 44));
    return Stream.of(
        Arguments.of("split-v3-changes.hex", TunnelSplit.changes(7, 1_000).in(Optional.of(9L))),
        Arguments.of("split-v3-rows.hex", rows(ranges).withWhole(true)),
        Arguments.of(
            "split-v3-overlap.hex",
            TunnelSplit.rowsAndChanges(7, 40)
                .behind(42, BasePart.done(List.of(new RowRange(Bytes.EMPTY, 45))))
                .in(Optional.of(9L))),
        Arguments.of(
            "split-v3-finished.hex",
            TunnelSplit.changes(8, 5).withEnd(Optional.of(5L), Optional.empty()).finished()));
  }

  @ParameterizedTest
  @MethodSource("splits")
  void a_split_has_the_bytes_of_version_3(String file, TunnelSplit split) throws IOException {
    byte[] golden = GoldenState.bytes(file);
    assertThat(Bytes.copyOf(serializer.serialize(split))).isEqualTo(Bytes.copyOf(golden));
    assertThat(serializer.deserialize(3, golden)).isEqualTo(split);
  }

  @ParameterizedTest
  @MethodSource("splits")
  void whatever_is_cut_off_added_or_of_another_version_is_refused(String file, TunnelSplit split)
      throws IOException {
    byte[] bytes = serializer.serialize(split);
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> serializer.deserialize(3, cut)).isInstanceOf(IOException.class);
    }
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    assertThatThrownBy(() -> serializer.deserialize(3, longer)).hasMessageContaining("behind");
    assertThatThrownBy(() -> serializer.deserialize(4, bytes))
        .hasMessageContaining("version 4")
        .hasMessageContaining("a later connector wrote it");
    for (int former : new int[] {0, 1, 2}) {
      assertThatThrownBy(() -> serializer.deserialize(former, bytes))
          .hasMessageContaining("version " + former)
          .hasMessageContaining("a build before 0.1.0 wrote it");
    }
    byte[] kind = bytes.clone();
    kind[4] = 9;
    assertThatThrownBy(() -> serializer.deserialize(3, kind)).hasMessageContaining("kind 9");
  }
}
