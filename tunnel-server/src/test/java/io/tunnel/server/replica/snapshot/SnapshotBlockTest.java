package io.tunnel.server.replica.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.Binary;
import io.tunnel.codec.Checksum;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.table.KeyRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class SnapshotBlockTest {

  private static byte[] last() {
    SnapshotBlock.Open open = new SnapshotBlock.Open(0x1234, 3);
    assertThat(open.add(KeyRange.DICTIONARY, new byte[] {9, 0, 0, 0, 7}, 1, new byte[] {1, 1, 97}))
        .isTrue();
    assertThat(open.add(KeyRange.ROW, new byte[] {'k'}, 0, new byte[] {5, 6})).isTrue();
    return open.endAsLast(11, 12).toByteArray();
  }

  private static List<String> entries(byte[] bytes) throws IOException {
    List<String> found = new ArrayList<>();
    SnapshotBlock.decode(bytes)
        .forEach(
            (range, array, keyOffset, keyBytes, valueOffset, valueBytes) ->
                found.add(
                    range
                        + " "
                        + Bytes.copyOf(array, keyOffset, keyBytes)
                        + " "
                        + Bytes.copyOf(array, valueOffset, valueBytes)));
    return found;
  }

  @Test
  void a_block_has_the_bytes_of_the_page() throws IOException {
    byte[] bytes = last();
    assertThat(Bytes.copyOf(bytes, 0, bytes.length - 4))
        .isEqualTo(
            Bytes.fromHex(
                "0101"
                    + "0000000000001234"
                    + "00000003"
                    + "00000002"
                    + "0504"
                    + "00000007"
                    + "03010161"
                    + "10016b020506"
                    + "000000000000000b"
                    + "000000000000000c"
                    + "00000000"));
    SnapshotBlock block = SnapshotBlock.decode(bytes);
    assertThat(block.id()).isEqualTo(0x1234);
    assertThat(block.number()).isEqualTo(3);
    assertThat(block.isLast()).isTrue();
    assertThat(block.allRows()).isEqualTo(11);
    assertThat(block.allEntries()).isEqualTo(12);
    assertThat(entries(bytes)).hasSize(2).first().asString().startsWith("DICTIONARY ");
  }

  @Test
  void each_flipped_bit_and_each_cut_is_damage_and_never_a_newer_form() {
    byte[] bytes = last();
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> SnapshotBlock.decode(flipped))
          .isInstanceOf(MalformedException.class)
          .isNotInstanceOf(NewerFormatException.class);
    }
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> SnapshotBlock.decode(cut)).isInstanceOf(MalformedException.class);
    }
  }

  /** With the checksum of the changed bytes, as a build with a fault would write them. */
  private static byte[] signed(byte[] bytes) {
    Binary.putInt(bytes, bytes.length - 4, Checksum.crc32c(bytes, 0, bytes.length - 4));
    return bytes;
  }

  private static byte[] with(int index, int value) {
    byte[] bytes = last();
    bytes[index] = (byte) value;
    return signed(bytes);
  }

  @Test
  void a_newer_form_and_an_odd_attribute_are_refused_by_name() throws IOException {
    assertThatThrownBy(() -> SnapshotBlock.decode(with(0, 2)))
        .isInstanceOf(NewerFormatException.class)
        .hasMessageContaining("a block of a snapshot of form 2");
    assertThatThrownBy(() -> SnapshotBlock.decode(withAttribute(3)))
        .isInstanceOf(NewerFormatException.class)
        .hasMessageContaining("attribute 3 of a block of a snapshot");
    assertThat(entries(withAttribute(2))).isEqualTo(entries(last()));
  }

  private static byte[] withAttribute(int number) {
    byte[] bytes = last();
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 2);
    longer[bytes.length - 8] = (byte) number;
    longer[bytes.length - 7] = 0;
    Binary.putInt(longer, longer.length - 8, 2);
    return signed(longer);
  }

  @Test
  void bytes_whose_checksum_is_right_and_that_no_build_writes_are_refused() {
    int range = 18;
    assertThatThrownBy(() -> SnapshotBlock.decode(with(1, 2)))
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> SnapshotBlock.decode(with(2, 0x80)))
        .hasMessageContaining("of snapshot -");
    assertThatThrownBy(() -> SnapshotBlock.decode(with(10, 0x80)))
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> entries(with(17, 3))).hasMessageContaining("entries are missing");
    assertThatThrownBy(() -> entries(with(17, 1))).hasMessageContaining("after the last entry");
    assertThatThrownBy(() -> entries(with(range, 6))).hasMessageContaining("unknown range 6");
    assertThatThrownBy(() -> entries(with(range + 1, 3))).hasMessageContaining("a key of 3 bytes");
    assertThatThrownBy(() -> entries(with(range + 6, 120))).hasMessageContaining("are left");
  }

  @Test
  void random_bytes_with_a_right_checksum_end_in_a_typed_error() {
    Random random = new Random(4);
    byte[] bytes = last();
    for (int i = 0; i < 20_000; i++) {
      byte[] changed = bytes.clone();
      for (int j = 1 + random.nextInt(3); j > 0; j--) {
        changed[random.nextInt(changed.length - 4)] = (byte) random.nextInt();
      }
      try {
        var unused = entries(signed(changed));
      } catch (MalformedException e) {
        assertThat(e).hasMessageNotContaining("null");
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void a_block_ends_at_its_bytes_and_a_larger_entry_has_a_block_of_its_own() throws IOException {
    SnapshotBlock.Open open = new SnapshotBlock.Open(1, 0);
    byte[] large = new byte[5 << 20];
    assertThat(open.add(KeyRange.ROW, new byte[] {1}, 0, large)).isTrue();
    assertThat(open.add(KeyRange.ROW, new byte[] {2}, 0, new byte[1])).isFalse();
    assertThat(entries(open.end().toByteArray())).hasSize(1);
    SnapshotBlock.Open small = new SnapshotBlock.Open(1, 1);
    while (small.add(KeyRange.ROW, new byte[] {1}, 0, new byte[1_000])) {
      assertThat(small.bytes()).isLessThanOrEqualTo(SnapshotBlock.BYTES_MAX + 16);
    }
    assertThat(small.bytes()).isGreaterThan(SnapshotBlock.BYTES_MAX - 1_100);
  }
}
