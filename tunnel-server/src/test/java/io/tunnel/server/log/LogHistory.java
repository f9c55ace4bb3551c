package io.tunnel.server.log;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.Column;
import io.tunnel.model.ColumnValue;
import io.tunnel.model.RowChange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random appends to a log on a {@link CrashDisk}, written down in a {@link LogModel}. */
final class LogHistory {

  static final int SHARD = 3;
  static final int PARTITIONS = 7;
  private static final int MERGED_BYTES_MAX = 4_096;

  final Random random;
  final LogModel model = new LogModel();
  private final int segmentBytesMax;
  private final int groupsPerSync;
  private final GroupCore group = new GroupCore(MERGED_BYTES_MAX);
  CrashDisk disk = new CrashDisk();
  LocalLog log;
  private long nowMicros = 1_000_000;
  private int rowNumber;

  LogHistory(long seed) throws IOException {
    random = new Random(seed);
    groupsPerSync = 1 + random.nextInt(8);
    segmentBytesMax = 1_000 + random.nextInt(20_000);
    open();
  }

  void open() throws IOException {
    log = LocalLog.open(disk, SHARD, segmentBytesMax);
  }

  void append(int groups) throws IOException {
    for (int i = 0; i < groups; i++) {
      append(random.nextInt(groupsPerSync) == 0);
    }
  }

  /** Appends one group. */
  void append(boolean sync) throws IOException {
    List<ChangeBatch> batches = new ArrayList<>();
    for (int i = 1 + random.nextInt(6); i > 0; i--) {
      batches.add(randomBatch());
    }
    batches.forEach(group::add);
    nowMicros += random.nextInt(2_000) - 500;
    long[] positions;
    try {
      positions = log.append(group, sync, nowMicros);
    } finally {
      group.clear();
    }
    for (int i = 0; i < batches.size(); i++) {
      assertThat(positions[i]).isEqualTo(nextPosition(batches, i));
    }
    model.appended(batches, Math.max(model.newestMicros(), nowMicros), sync);
  }

  private long nextPosition(List<ChangeBatch> batches, int index) {
    int partition = batches.get(index).partition();
    long position = model.nextPosition(partition);
    for (ChangeBatch before : batches.subList(0, index)) {
      position += before.partition() == partition ? before.rowCount() : 0;
    }
    return position;
  }

  private ChangeBatch randomBatch() {
    List<RowChange> rows = new ArrayList<>();
    int bytes = random.nextInt(8) == 0 ? 3_000 : 40;
    String column = random.nextInt(4) == 0 ? "other" : "column";
    for (int i = 1 + random.nextInt(5); i > 0; i--) {
      String value = "v".repeat(random.nextInt(bytes));
      rows.add(put("row" + rowNumber++, new Column(column, ColumnValue.fromString(value))));
    }
    return batch(1 + random.nextInt(PARTITIONS), rows);
  }

  /** The machine goes down and comes back. */
  void crash() throws IOException {
    disk = disk.crash(random);
    open();
    model.requirePrefixOf(log);
  }

  /**
   * The process goes down and comes back: everything written is there, and durable from then on.
   */
  void kill() throws IOException {
    disk = disk.kill();
    model.synced();
    open();
    model.requirePrefixOf(log);
  }

  /** A graceful stop. */
  void close() throws IOException {
    log.close();
    model.synced();
    assertThat(disk.openFiles()).isZero();
  }

  void requireEqual() throws IOException {
    model.requireEqual(log, random);
  }

  /** Readers see what the model has, whatever a failure left in the files. */
  void requireReadable() throws IOException {
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      assertThat(LogModel.read(log, partition, 1, random)).isEqualTo(model.rows(partition));
    }
  }

  /** Everything that was synced is there, and what else there is follows it. */
  void requireSynced() throws IOException {
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      List<LogModel.LoggedRow> synced = model.synced(partition);
      List<LogModel.LoggedRow> read = LogModel.read(log, partition, 1, random);
      assertThat(read).as("partition %d", partition).hasSizeGreaterThanOrEqualTo(synced.size());
      assertThat(read.subList(0, synced.size())).as("partition %d", partition).isEqualTo(synced);
    }
  }
}
