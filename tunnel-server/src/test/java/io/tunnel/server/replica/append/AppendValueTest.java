package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.MalformedException;
import io.tunnel.codec.Utf8;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.AppendValue.Begin;
import io.tunnel.server.replica.append.AppendValue.Leader;
import io.tunnel.server.replica.append.AppendValue.Snapshot;
import io.tunnel.server.replica.append.AppendValue.Trim;
import io.tunnel.server.replica.append.FollowState.Stretch;
import io.tunnel.server.replica.snapshot.SnapshotContent;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class AppendValueTest {

  private static final FollowState STATE =
      new FollowState(
          90,
          41,
          7,
          true,
          60,
          AppendHeader.NO_SNAPSHOT,
          List.of(new Stretch(3, -8, 1_700, 1, 50), new Stretch(50, 9, 1_701, 30, Stretch.OPEN)));

  static List<AppendValue> values() {
    return List.of(
        new Leader("n1", "1790000000000-7"),
        new Snapshot(12, STATE, 1_790_000_000_000_000L, new Trim(5, 20, 7), blocks(3, 100)),
        new Snapshot(1, FollowState.NONE, 0, Trim.NONE, blocks(0, 0)),
        new Trim(41, 88, 12),
        new Begin(1_790_000_000_000L, 1_790_000_000_000_000L));
  }

  private static SnapshotContent blocks(int count, long rows) {
    return new SnapshotContent(1_000, count, rows, rows * 200, -5);
  }

  @ParameterizedTest
  @MethodSource("values")
  void a_value_is_read_as_it_was_written(AppendValue value) {
    assertThat(AppendValue.decode(value.kind(), value.encode())).isEqualTo(value);
  }

  @ParameterizedTest
  @MethodSource("values")
  void a_member_of_a_later_build_is_skipped(AppendValue value) {
    String text = Utf8.decodeStrictly(value.encode());
    byte[] later = Utf8.encode("{\"later\":[1],\n" + text.substring(1));
    assertThat(AppendValue.decode(value.kind(), later)).isEqualTo(value);
  }

  @Test
  void a_value_that_no_leader_writes_is_malformed() {
    assertThatThrownBy(() -> new Trim(0, 0, 0)).hasMessageContaining("position 0");
    assertThatThrownBy(() -> new Trim(1, -1, 0)).hasMessageContaining("offset -1");
    assertThatThrownBy(() -> new Begin(-1, 0)).hasMessageContaining("incarnation -1");
    assertThatThrownBy(() -> blocks(0, 1)).hasMessageContaining("no blocks with 1 rows");
    assertThatThrownBy(() -> new Snapshot(0, STATE, 0, Trim.NONE, blocks(1, 1)))
        .hasMessageContaining("id 0");
    assertThatThrownBy(() -> new Snapshot(1, STATE, 0, new Trim(42, 0, 0), blocks(1, 1)))
        .as("trimmed beyond its position")
        .hasMessageContaining("position 41");
    assertThatThrownBy(() -> new Snapshot(1, STATE, 0, new Trim(1, 91, 0), blocks(1, 1)))
        .as("trimmed beyond its offset")
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> AppendValue.decode(Kind.BATCHES, new byte[0]))
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> AppendValue.decode(Kind.SNAPSHOT, Utf8.encode("{\"id\":1}")))
        .isInstanceOf(MalformedException.class);
  }

  /** Any bytes are a value, or are refused as malformed; nothing else happens. */
  @Test
  void any_bytes_are_read_or_refused() {
    Random chance = new Random(47);
    List<AppendValue> values = values();
    int read = 0;
    for (int i = 0; i < 20_000; i++) {
      AppendValue value = values.get(chance.nextInt(values.size()));
      byte[] bytes = value.encode();
      for (int flips = chance.nextInt(3); flips > 0; flips--) {
        bytes[chance.nextInt(bytes.length)] = (byte) chance.nextInt();
      }
      try {
        assertThat(AppendValue.decode(value.kind(), bytes).kind()).isEqualTo(value.kind());
        read++;
      } catch (MalformedException refused) {
        assertThat(refused.getMessage()).isNotEmpty();
      }
    }
    assertThat(read).isBetween(5_000, 19_000);
  }
}
