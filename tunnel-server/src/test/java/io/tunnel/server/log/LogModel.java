package io.tunnel.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.changes.Extents;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * What a log must hold: the rows of every partition, each with its position and commit time, how
 * many of them every group had left when it was appended, and up to where they were given up.
 */
final class LogModel {

  /** A row as it stands in a batch, and when it was committed. */
  record LoggedRow(Bytes bytes, long commitMicros) {
    @Override
    public String toString() {
      return bytes.length()
          + " bytes "
          + Integer.toHexString(bytes.hashCode())
          + "@"
          + commitMicros;
    }
  }

  private final Map<Integer, List<LoggedRow>> rows = new TreeMap<>();
  private final List<Map<Integer, Integer>> countsAfterGroup = new ArrayList<>();
  private final Map<Integer, Long> trimmed = new TreeMap<>();
  private int syncedGroups;

  LogModel() {
    countsAfterGroup.add(Map.of());
  }

  List<LoggedRow> rows(int partition) {
    return rows.computeIfAbsent(partition, id -> new ArrayList<>());
  }

  /** Position up to which the rows of a partition were given up. */
  long trimmed(int partition) {
    return trimmed.getOrDefault(partition, 0L);
  }

  /** The rows of a partition up to {@code position} were given up. */
  void trim(int partition, long position) {
    trimmed.merge(partition, position, Math::max);
  }

  /** The rows of a partition that are kept. */
  List<LoggedRow> kept(int partition) {
    List<LoggedRow> all = rows(partition);
    return all.subList((int) trimmed(partition), all.size());
  }

  /** Commit time of the newest row, 0 when there is none. */
  long newestMicros() {
    long newest = 0;
    for (List<LoggedRow> logged : rows.values()) {
      newest = logged.isEmpty() ? newest : Math.max(newest, last(logged).commitMicros());
    }
    return newest;
  }

  private static LoggedRow last(List<LoggedRow> logged) {
    return logged.get(logged.size() - 1);
  }

  /** The positions that the rows of {@code batch} must get. */
  long nextPosition(int partition) {
    return rows(partition).size() + 1L;
  }

  /**
   * The commit times of a partition never go back, whatever the clock shows. Of a partition without
   * a change that is kept, a start knows only that no change in the log was committed later.
   */
  void appended(List<ChangeBatch> group, LocalLog log, long nowMicros, boolean isSynced)
      throws IOException {
    long newest = newestMicros();
    for (ChangeBatch batch : group) {
      RowCursor row = batch.rows();
      List<LoggedRow> before = rows(batch.partition());
      long atLeast =
          before.isEmpty() ? nowMicros : Math.max(nowMicros, last(before).commitMicros());
      boolean isKnown = trimmed(batch.partition()) < before.size() || before.isEmpty();
      long commitMicros =
          isKnown ? atLeast : log.commitMicrosAfter(batch.partition(), before.size());
      assertThat(commitMicros).isBetween(atLeast, Math.max(atLeast, newest));
      while (row.next()) {
        rows(batch.partition()).add(new LoggedRow(bytes(row), commitMicros));
      }
    }
    countsAfterGroup.add(counts());
    if (isSynced) {
      synced();
    }
  }

  void synced() {
    syncedGroups = countsAfterGroup.size() - 1;
  }

  LogModel copy() {
    LogModel copy = new LogModel();
    rows.forEach((partition, logged) -> copy.rows(partition).addAll(logged));
    copy.trimmed.putAll(trimmed);
    return copy;
  }

  /** Rows of a partition that no crash may take. */
  List<LoggedRow> synced(int partition) {
    int count = countsAfterGroup.get(syncedGroups).getOrDefault(partition, 0);
    return rows(partition).subList(0, count);
  }

  private Map<Integer, Integer> counts() {
    Map<Integer, Integer> counts = new HashMap<>();
    rows.forEach((partition, logged) -> counts.put(partition, logged.size()));
    return counts;
  }

  private static Bytes bytes(RowCursor row) {
    return Bytes.copyOf(row.batch().array(), row.rowOffset(), row.rowEnd() - row.rowOffset());
  }

  /**
   * Takes back what a crash took: whole groups from the end, none that was synced. Fails when the
   * log holds anything else.
   */
  void requirePrefixOf(LocalLog log) {
    int group = countsAfterGroup.size() - 1;
    while (group > syncedGroups && !isEnd(log, countsAfterGroup.get(group))) {
      group--;
    }
    Map<Integer, Integer> counts = countsAfterGroup.get(group);
    for (Map.Entry<Integer, List<LoggedRow>> partition : rows.entrySet()) {
      int count = counts.getOrDefault(partition.getKey(), 0);
      assertThat(log.committed(partition.getKey()))
          .as("partition %d after a crash; %d groups are synced", partition.getKey(), syncedGroups)
          .isEqualTo(count);
      List<LoggedRow> logged = partition.getValue();
      logged.subList(count, logged.size()).clear();
    }
    countsAfterGroup.subList(group + 1, countsAfterGroup.size()).clear();
    synced();
  }

  private boolean isEnd(LocalLog log, Map<Integer, Integer> counts) {
    return rows.keySet().stream().allMatch(id -> log.committed(id) == counts.getOrDefault(id, 0));
  }

  /** Reads everything in {@code log}, in pieces of random size, and by replay, and compares. */
  void requireEqual(LocalLog log, Random random) throws IOException {
    Map<Integer, List<ChangeBatch>> batches = replayed(log);
    for (int partition : rows.keySet()) {
      List<LoggedRow> expected = kept(partition);
      long first = trimmed(partition) + 1;
      assertThat(read(log, partition, first, random)).as("read %d", partition).isEqualTo(expected);
      List<ChangeBatch> kept = batches(log.plan(partition, first, Integer.MAX_VALUE));
      List<LoggedRow> replayed = new ArrayList<>();
      for (ChangeBatch batch : batches.getOrDefault(partition, List.of())) {
        addRows(batch, Math.max(first, batch.basePosition()), replayed);
      }
      // A replay begins behind the last hole; what is kept before it is only for readers.
      int replayedFrom = log.wholeFrom() == 0 ? 0 : Math.max(0, expected.size() - replayed.size());
      assertThat(replayed)
          .as("replay of %d", partition)
          .isEqualTo(expected.subList(replayedFrom, expected.size()));
      requireFigures(log, partition, kept, random.nextInt(9));
    }
  }

  private void requireFigures(LocalLog log, int partition, List<ChangeBatch> batches, long position)
      throws IOException {
    List<LoggedRow> expected = rows(partition);
    long bytes =
        batches.stream()
            .filter(batch -> batch.lastPosition() > position)
            .mapToLong(ChangeBatch::byteCount)
            .sum();
    assertThat(log.committed(partition)).isEqualTo(expected.size());
    assertThat(log.firstPosition(partition)).isEqualTo(trimmed(partition) + 1);
    assertThat(log.bytesAfter(partition, position)).as("after %d", position).isEqualTo(bytes);
    int next = (int) Math.max(position, trimmed(partition));
    assertThat(log.commitMicrosAfter(partition, position))
        .isEqualTo(next < expected.size() ? expected.get(next).commitMicros() : 0);
    int trimmed = (int) trimmed(partition);
    assertThat(log.givenUpMicros(partition).orElseThrow())
        .as("given up of %d", partition)
        .isGreaterThanOrEqualTo(trimmed == 0 ? 0 : expected.get(trimmed - 1).commitMicros());
  }

  private static Map<Integer, List<ChangeBatch>> replayed(LocalLog log) throws IOException {
    Map<Integer, List<ChangeBatch>> batches = new TreeMap<>();
    log.replay(
        log.wholeFrom(),
        new ReplayVisitor() {
          @Override
          public void batch(ChangeBatch batch) {
            byte[] copy =
                Bytes.copyOf(batch.array(), batch.offset(), batch.byteCount()).toByteArray();
            batches
                .computeIfAbsent(batch.partition(), id -> new ArrayList<>())
                .add(ChangeBatch.parse(copy, 0, copy.length));
          }

          @Override
          public void answers(ChangeBatch batch) {}

          @Override
          public void groupEnd(long end) {
            assertThat(end).isLessThanOrEqualTo(log.end());
          }
        });
    return batches;
  }

  /** The rows of a partition from {@code from} to its end, read as a channel reads them. */
  static List<LoggedRow> read(LocalLog log, int partition, long from, Random random)
      throws IOException {
    List<LoggedRow> rows = new ArrayList<>();
    long next = from;
    while (next <= log.committed(partition)) {
      int bytesMax = 1 + random.nextInt(3_000);
      Extents plan = log.plan(partition, next, bytesMax);
      List<ChangeBatch> batches = batches(plan);
      assertThat(batches.size() == 1 || plan.bytes() <= bytesMax).isTrue();
      for (ChangeBatch batch : batches) {
        assertThat(batch.partition()).isEqualTo(partition);
        assertThat(batch.basePosition()).isLessThanOrEqualTo(next);
        addRows(batch, next, rows);
        next = batch.lastPosition() + 1;
      }
      assertThat(next).as("end of plan").isEqualTo(plan.lastPosition() + 1);
    }
    return rows;
  }

  private static List<ChangeBatch> batches(Extents plan) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(plan.bytes());
    plan.read(target);
    assertThat(target.hasRemaining()).isFalse();
    List<ChangeBatch> batches = new ArrayList<>();
    for (int at = 0; at < target.limit(); ) {
      ChangeBatch batch = ChangeBatch.parse(target.array(), at, target.limit());
      batches.add(batch);
      at += batch.byteCount();
    }
    return batches;
  }

  private static void addRows(ChangeBatch batch, long from, List<LoggedRow> rows) {
    RowCursor row = batch.rows();
    while (row.next()) {
      if (batch.basePosition() + row.index() >= from) {
        rows.add(new LoggedRow(bytes(row), batch.commitMicros()));
      }
    }
  }
}
