package io.tunnel.server.log;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.disk.Disk;
import io.tunnel.server.disk.FileDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A segment of the largest size there may be, most of it a hole that an index covers. */
final class LargeSegmentTest {

  private static final int SEGMENT_BYTES_MAX = 1 << 30;
  private static final int GROUP_BYTES_MAX = 64 << 20;

  @TempDir private Path directory;

  private LocalLog open() throws IOException {
    return LocalLog.open(new FileDisk(directory), 0, SEGMENT_BYTES_MAX);
  }

  private static void append(LocalLog log, int batches, int valueBytes) throws IOException {
    RowChange row = put("k", new Column("c", ColumnValue.fromString("v".repeat(valueBytes))));
    ChangeBatch batch = batch(1, row);
    GroupCore group = new GroupCore(4_096);
    Collections.nCopies(batches, batch).forEach(group::add);
    log.append(group, true, 1);
  }

  @Test
  void the_group_that_overfills_the_largest_segment_is_read_back() throws IOException {
    try (LocalLog log = open()) {
      append(log, 1, 10);
    }
    stretch(SEGMENT_BYTES_MAX - 1);
    int batches = GROUP_BYTES_MAX / (2 << 20);
    try (LocalLog log = open()) {
      assertThat(log.end()).isEqualTo(SEGMENT_BYTES_MAX - 1);
      append(log, batches, 2 << 20);
      assertThat(log.segmentCount()).isEqualTo(1);
      append(log, 1, 10);
      assertThat(log.segmentCount()).isEqualTo(2);
      requireRead(log, batches + 2);
    }
    try (LocalLog log = open()) {
      assertThat(log.end()).isGreaterThan(SEGMENT_BYTES_MAX + (long) GROUP_BYTES_MAX);
      requireRead(log, batches + 2);
    }
  }

  private static void requireRead(LocalLog log, int batches) throws IOException {
    assertThat(log.bytesAfter(1, 1)).isGreaterThan(GROUP_BYTES_MAX);
    List<Long> positions = new ArrayList<>();
    for (ChangeBatch batch : TestLogs.batches(log, 1)) {
      positions.add(batch.basePosition());
    }
    assertThat(positions).hasSize(batches).last().isEqualTo((long) batches);
  }

  /**
   * Makes the segment longer by a hole, as if other partitions had written, and its index agree.
   */
  private void stretch(long size) throws IOException {
    FileDisk disk = new FileDisk(directory);
    String name = LogFormat.segmentName(0);
    try (Disk.File file = disk.open(name)) {

      StoredIndex.Contents stored = StoredIndex.read(disk.readOnly(LogFormat.indexName(0)), 0);
      file.write(ByteBuffer.allocate(1), size - 1);
      disk.replace(
          LogFormat.indexName(0),
          StoredIndex.write(0, size, Optional.empty(), stored.partitions()));
    }
  }
}
