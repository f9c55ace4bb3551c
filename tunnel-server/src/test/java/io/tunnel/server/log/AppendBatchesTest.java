package io.tunnel.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.GroupCore.Attribution;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The value of a record has the very bytes that the file's log has of the same group. */
final class AppendBatchesTest {

  private static final int PARTITION = 3;
  private static final long MICROS = 1_790_000_000_000_000L;

  private final Random random = new Random(46);

  private record Part(List<RowChange> rows, Optional<Attribution> number) {}

  private List<Part> parts() {
    List<Part> parts = new ArrayList<>();
    for (int left = 1 + random.nextInt(6); left > 0; left--) {
      List<RowChange> rows = new ArrayList<>();
      for (int row = random.nextInt(4); row >= 0; row--) {
        String column = "c" + random.nextInt(2);
        rows.add(
            TestRows.put(
                "k" + random.nextInt(9),
                new Column(column, ColumnValue.fromLong(random.nextInt()))));
      }
      Attribution number =
          new Attribution(
              Bytes.copyOf(new byte[24]), 1 + random.nextInt(9), Bytes.copyOf(new byte[] {7}));
      parts.add(new Part(rows, Optional.of(number).filter(any -> random.nextBoolean())));
    }
    return parts;
  }

  private static GroupCore group(List<Part> parts) {
    GroupCore group = new GroupCore(400);
    parts.forEach(part -> group.add(TestRows.batch(PARTITION, part.rows()), part.number()));
    return group;
  }

  /** The batches of each group, those with answers too. */
  private static List<List<Bytes>> groups(LocalLog log) throws IOException {
    List<List<Bytes>> groups = new ArrayList<>();
    List<Bytes> open = new ArrayList<>();
    log.replay(
        LogFormat.SEGMENT_HEADER_BYTES,
        new ReplayVisitor() {
          @Override
          public void batch(ChangeBatch batch) {
            open.add(Bytes.copyOf(batch.array(), batch.offset(), batch.byteCount()));
          }

          @Override
          public void answers(ChangeBatch batch) {
            batch(batch);
          }

          @Override
          public void groupEnd(long end) {
            groups.add(List.copyOf(open));
            open.clear();
          }
        });
    return groups;
  }

  @Test
  void a_log_that_adopts_records_has_the_bytes_of_the_log_that_appends_groups() throws Exception {
    LocalLog appended = TestLogs.open(new CrashDisk(), 0);
    CrashDisk disk = new CrashDisk();
    LocalLog adopted = TestLogs.open(disk, 0);
    for (int i = 0; i < 200; i++) {
      List<Part> parts = parts();
      long[] positions = appended.append(group(parts), false, MICROS + i);
      GroupCore group = group(parts);
      long[] ofRecord = new long[group.batchCount()];
      long first = adopted.committed(PARTITION) + 1;
      byte[] record = group.encodeAppend(PARTITION, MICROS + i, first, ofRecord);
      assertThat(ofRecord).isEqualTo(positions);
      adopted.adopt(AppendBatches.parse(record, PARTITION, first, group.changes()));
      assertThat(adopted.committed(PARTITION)).isEqualTo(appended.committed(PARTITION));
    }
    assertThat(groups(adopted)).isEqualTo(groups(appended));
    assertThat(TestLogs.rows(TestLogs.batches(adopted, PARTITION)))
        .as("rows that readers get")
        .isEqualTo((int) adopted.committed(PARTITION));
    List<List<Bytes>> before = groups(adopted);
    adopted.sync();
    adopted.close();
    assertThat(groups(TestLogs.open(disk.crash(random), 0))).isEqualTo(before);
    appended.close();
  }

  @Test
  void a_record_that_is_not_as_its_header_says_is_malformed() {
    GroupCore group = group(parts());
    byte[] record = group.encodeAppend(PARTITION, MICROS, 41, new long[group.batchCount()]);
    int changes = group.changes();
    assertThat(AppendBatches.parse(record, PARTITION, 41, changes)).isNotEmpty();
    assertThatThrownBy(() -> AppendBatches.parse(record, 4, 41, changes))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("partition 3");
    assertThatThrownBy(() -> AppendBatches.parse(record, PARTITION, 40, changes))
        .hasMessageContaining("position 41 where 40 is the next");
    assertThatThrownBy(() -> AppendBatches.parse(record, PARTITION, 41, changes + 1))
        .hasMessageContaining("its header says " + (changes + 1));
    for (int at = 0; at < record.length; at++) {
      byte[] flipped = record.clone();
      flipped[at] ^= (byte) (1 << random.nextInt(8));
      assertThatThrownBy(() -> AppendBatches.parse(flipped, PARTITION, 41, changes))
          .as("byte %d of %d", at, record.length)
          .isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void a_record_in_which_every_row_is_refused_has_no_batch() {
    assertThat(AppendBatches.parse(new byte[0], PARTITION, 41, 0)).isEmpty();
  }
}
