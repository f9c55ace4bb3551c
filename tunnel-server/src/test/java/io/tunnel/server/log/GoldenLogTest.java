package io.tunnel.server.log;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.Golden;
import io.tunnel.server.disk.CrashDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of format 1: later versions read the bytes, and write equal bytes. */
final class GoldenLogTest {

  private static final int SHARD = 3;
  private static final int SEGMENT_BYTES_MAX = 1 << 20;
  private static final String SEGMENT = LogFormat.segmentName(0);
  private static final String INDEX = LogFormat.indexName(0);

  @Test
  void a_segment_and_its_index_are_written_as_ever() throws IOException {
    CrashDisk disk = new CrashDisk();
    LocalLog log = LocalLog.open(disk, SHARD, SEGMENT_BYTES_MAX);
    append(log, true, 1_700_000_000_000_001L, batch(7, put("a", number(1)), put("b", number(2))));
    append(
        log,
        false,
        1_700_000_000_000_002L,
        batch(9, put("c", number(3))),
        batch(7, put("d", number(4))),
        batch(9, put("e", number(5))));
    log.close();
    assertThat(disk.bytes(SEGMENT)).isEqualTo(Golden.bytes("segment.hex"));
    assertThat(disk.bytes(INDEX)).isEqualTo(Golden.bytes("index.hex"));
  }

  @Test
  void a_segment_is_read_with_its_index_and_without() throws IOException {
    CrashDisk disk = new CrashDisk();
    disk.put(SEGMENT, Golden.bytes("segment.hex"));
    requireRead(disk);
    disk.put(INDEX, Golden.bytes("index.hex"));
    requireRead(disk);
  }

  private static void requireRead(CrashDisk disk) throws IOException {
    LocalLog log = LocalLog.open(disk, SHARD, SEGMENT_BYTES_MAX);
    assertThat(log.committed(7)).isEqualTo(3);
    assertThat(log.committed(9)).isEqualTo(2);
    assertThat(log.commitMicrosAfter(7, 2)).isEqualTo(1_700_000_000_000_002L);
    List<Long> lastPositions = new ArrayList<>();
    log.replay(
        0,
        new ReplayVisitor() {
          @Override
          public void batch(ChangeBatch batch) {
            lastPositions.add(batch.lastPosition());
          }

          @Override
          public void answers(ChangeBatch batch) {}

          @Override
          public void groupEnd(long end) {}
        });
    assertThat(lastPositions).containsExactly(2L, 2L, 3L);
  }

  private static Column number(long value) {
    return new Column("n", ColumnValue.fromLong(value));
  }

  private static void append(LocalLog log, boolean sync, long nowMicros, ChangeBatch... batches)
      throws IOException {
    GroupCore group = new GroupCore(4_096);
    for (ChangeBatch batch : batches) {
      group.add(batch);
    }
    log.append(group, sync, nowMicros);
  }
}
