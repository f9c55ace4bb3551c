package io.tunnel.server.replica.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tunnel.codec.Binary;
import io.tunnel.codec.Checksum;
import io.tunnel.codec.MalformedException;
import io.tunnel.server.table.KeyRange;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A block of a snapshot with any bytes and a right checksum: each entry is within the block, or the
 * block is refused with words.
 */
@Tag("proof-fuzz")
class BlocksFuzzTest {

  static Stream<Arguments> blocks() {
    SnapshotBlock.Open first = new SnapshotBlock.Open(1, 0);
    SnapshotBlock.Open last = new SnapshotBlock.Open(1L << 40, 7);
    assertThat(first.add(KeyRange.BOUND, new byte[9], 9, new byte[3])).isTrue();
    assertThat(last.add(KeyRange.EXPIRY, new byte[30], 9, new byte[0])).isTrue();
    assertThat(last.add(KeyRange.ROW, new byte[10], 4, new byte[300])).isTrue();
    return Stream.of(first.end(), last.endAsLast(1, 3))
        .map(block -> Arguments.of((Object) block.toByteArray()));
  }

  @MethodSource("blocks")
  @FuzzTest(maxDuration = "")
  void a_block_is_read_within_its_bytes_or_refused(byte[] block) throws IOException {
    if (block.length >= Integer.BYTES) {
      int end = block.length - Integer.BYTES;
      Binary.putInt(block, end, Checksum.crc32c(block, 0, end));
    }
    try {
      SnapshotBlock.decode(block)
          .forEach(
              (range, array, keyOffset, keyBytes, valueOffset, valueBytes) -> {
                assertThat(keyOffset + keyBytes).isLessThanOrEqualTo(valueOffset);
                assertThat(valueOffset + valueBytes).isLessThan(array.length);
              });
    } catch (MalformedException e) {
      assertThat(e).hasMessageMatching("(?s).+");
    }
  }
}
