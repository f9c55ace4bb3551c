package io.tunnel.server.log;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.disk.Disk;
import io.tunnel.server.disk.OpenFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/** Random appends to a log on a {@link CrashDisk}, written down in a {@link LogModel}. */
final class LogHistory {

  static final int SHARD = 3;
  static final int PARTITIONS = 7;
  private static final int MERGED_BYTES_MAX = 4_096;
  private static final int OPEN_FILES_MAX = 2;

  final Random random;
  final LogModel model = new LogModel();

  /** Whether segments are closed and opened again. */
  private final boolean hasFewFiles;

  private final int segmentBytesMax;
  private final int groupsPerSync;
  private final GroupCore group = new GroupCore(MERGED_BYTES_MAX);
  private Map<Integer, Long> planned = Map.of();
  CrashDisk disk = new CrashDisk();
  LocalLog log;
  private long nowMicros = 1_000_000;
  private int rowNumber;

  /** By partition, its last position in each segment, by the segment's base. */
  private final Map<Integer, NavigableMap<Long, Long>> lastPositions = new TreeMap<>();

  LogHistory(long seed) throws IOException {
    random = new Random(seed);
    hasFewFiles = seed % 2 == 0;
    groupsPerSync = 1 + random.nextInt(8);
    segmentBytesMax = 1_000 + random.nextInt(20_000);
    open();
  }

  void open() throws IOException {
    Disk used = hasFewFiles ? new OpenFiles(unused -> disk, OPEN_FILES_MAX).bounded(disk) : disk;
    log = LocalLog.open(used, SHARD, segmentBytesMax);
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
    model.appended(batches, log, nowMicros, sync);
    for (ChangeBatch batch : batches) {
      long last = model.rows(batch.partition()).size();
      positions(batch.partition()).put(bases().last(), last);
    }
  }

  private NavigableMap<Long, Long> positions(int partition) {
    return lastPositions.computeIfAbsent(partition, id -> new TreeMap<>());
  }

  /** Offsets of the segments whose files are there. */
  NavigableSet<Long> bases() {
    NavigableSet<Long> bases = new TreeSet<>();
    disk.names(".log").forEach(name -> bases.add(Long.parseLong(name.substring(0, 20))));
    return bases;
  }

  /**
   * Asks for random trims, and tells the model what they are when the log has said that they hold.
   */
  LocalLog.Freed trim() throws IOException {
    Map<Integer, Long> lastBases = new TreeMap<>();
    Map<Integer, Long> expected = new TreeMap<>();
    List<Long> bases = List.copyOf(bases());
    long base = bases.get(random.nextInt(bases.size()));
    int skipped = random.nextInt(3) == 0 ? 1 + random.nextInt(PARTITIONS) : 0;
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      if (partition != skipped) {
        lastBases.put(partition, base);
        expected.put(partition, lastPosition(partition, Math.min(base, bases().last() - 1)));
      }
    }
    planned = expected;
    long folded = random.nextBoolean() ? log.syncedOffset() : bases.get(bases.size() / 2);
    LocalLog.Freed freed = log.trim(lastBases, partition -> true, folded);
    expected.forEach(model::trim);
    return freed;
  }

  private long lastPosition(int partition, long lastBase) {
    Map.Entry<Long, Long> last = positions(partition).floorEntry(lastBase);
    return last == null ? 0 : last.getValue();
  }

  /**
   * After the next start a failed trim has given up all requested positions of all partitions, or
   * none.
   */
  void requireTrimmedWhollyOrNot() {
    boolean isDone =
        planned.entrySet().stream()
            .anyMatch(
                trim ->
                    trim.getValue() > model.trimmed(trim.getKey())
                        && log.firstPosition(trim.getKey()) > model.trimmed(trim.getKey()) + 1);
    if (isDone) {
      planned.forEach(model::trim);
    }
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
    clip();
  }

  /** What a crash took is in no segment any more. */
  void clip() {
    lastPositions.forEach(
        (partition, positions) ->
            positions.replaceAll((base, last) -> Math.min(last, model.rows(partition).size())));
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
      long first = model.trimmed(partition) + 1;
      assertThat(LogModel.read(log, partition, first, random)).isEqualTo(model.kept(partition));
    }
  }

  /** All synced rows are there; rows that were not synced may follow. */
  void requireSynced() throws IOException {
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      List<LogModel.LoggedRow> all = model.synced(partition);
      List<LogModel.LoggedRow> synced = all.subList((int) model.trimmed(partition), all.size());
      long first = model.trimmed(partition) + 1;
      List<LogModel.LoggedRow> read = LogModel.read(log, partition, first, random);
      assertThat(read).as("partition %d", partition).hasSizeGreaterThanOrEqualTo(synced.size());
      assertThat(read.subList(0, synced.size())).as("partition %d", partition).isEqualTo(synced);
    }
  }

  /** The process ends, in one of the ways in which processes end, and is started again. */
  void endLife() throws IOException {
    switch (random.nextInt(4)) {
      case 0 -> {
        close();
        open();
        model.requirePrefixOf(log);
      }
      case 1 -> kill();
      default -> crash();
    }
  }
}
