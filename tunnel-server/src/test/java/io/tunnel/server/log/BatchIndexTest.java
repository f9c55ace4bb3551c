package io.tunnel.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class BatchIndexTest {

  private static final int BATCHES = 100;

  @Test
  void what_is_added_later_does_not_change_what_a_count_says() {
    GrowingIndex index = new GrowingIndex();
    index.add(1, 5, 64, 100);
    int count = index.count();
    index.add(6, 9, 500, 70);
    assertThat(index.lastPosition(count)).isEqualTo(5);
    assertThat(index.bytesOf(count)).isEqualTo(100);
    assertThat(index.batchBytes(0, count)).isEqualTo(100);
    assertThat(index.floor(9, count)).isZero();
  }

  @Test
  void a_stored_index_says_what_the_growing_one_said() {
    GrowingIndex growing = random(new Random(1));
    ByteBuffer file =
        StoredIndex.write(77, 123_456, Optional.empty(), Map.of(9, growing, 4, growing));
    StoredIndex.Contents stored = StoredIndex.read(file, 77);
    assertThat(stored.segmentBytes()).isEqualTo(123_456);
    assertThat(stored.partitions()).containsOnlyKeys(4, 9);
    requireEqual(stored.partitions().get(9), growing);
    requireEqual(stored.partitions().get(4).grow(), growing);
  }

  @Test
  void an_index_of_another_segment_or_a_cut_one_is_not_read() {
    ByteBuffer file =
        StoredIndex.write(77, 123_456, Optional.empty(), Map.of(9, random(new Random(1))));
    assertThat(StoredIndex.read(file, 78)).isNull();
    for (int size = 0; size < file.limit(); size++) {
      assertThat(StoredIndex.read(file.slice(0, size), 77)).as("%d bytes", size).isNull();
    }
  }

  @Test
  void the_floor_is_the_last_batch_that_starts_at_or_before_a_position() {
    GrowingIndex index = random(new Random(2));
    for (long position = 0; position <= index.lastPosition(BATCHES) + 2; position++) {
      int expected = -1;
      while (expected + 1 < BATCHES && index.firstPosition(expected + 1) <= position) {
        expected++;
      }
      assertThat(index.floor(position, BATCHES)).as("position %d", position).isEqualTo(expected);
    }
  }

  private static GrowingIndex random(Random random) {
    GrowingIndex index = new GrowingIndex();
    long next = 1L + random.nextInt(5);
    int offset = 64;
    for (int i = 0; i < BATCHES; i++) {
      long last = next + random.nextInt(4);
      int bytes = 40 + random.nextInt(100);
      index.add(next, last, offset, bytes);
      next = last + 1;
      offset += bytes + random.nextInt(100);
    }
    return index;
  }

  private static void requireEqual(BatchIndex index, BatchIndex expected) {
    assertThat(index.count()).isEqualTo(expected.count());
    for (int i = 0; i < expected.count(); i++) {
      assertThat(index.firstPosition(i)).isEqualTo(expected.firstPosition(i));
      assertThat(index.fileOffset(i)).isEqualTo(expected.fileOffset(i));
      assertThat(index.batchBytes(i, BATCHES)).isEqualTo(expected.batchBytes(i, BATCHES));
      assertThat(index.lastPosition(i + 1)).isEqualTo(expected.lastPosition(i + 1));
      assertThat(index.bytesOf(i + 1)).isEqualTo(expected.bytesOf(i + 1));
    }
  }
}
