package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.AppendValue.Begin;
import io.tunnel.server.replica.append.AppendValue.Snapshot;
import io.tunnel.server.replica.append.AppendValue.Trim;
import io.tunnel.server.replica.snapshot.SnapshotContent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Logs of a restored partition, whose last leaders may not have read the newest snapshots. */
final class SnapshotSearchTest {

  private static final int P = 1;
  private static final int RECORDS_MAX = 500;

  private final RestoredLogs log = new RestoredLogs();
  private final List<Long> snapshots = new ArrayList<>();
  private long end;
  private long epoch;

  static LongStream seeds() {
    return LongStream.range(0, 200);
  }

  private void land(AppendHeader header, byte[] value) {
    log.append(P, header.encode(), value, placed -> {});
    end++;
  }

  /** A leader claims, and has read so many of the snapshots. */
  private void claim(int read) {
    long named = read == 0 ? AppendHeader.NO_SNAPSHOT : snapshots.get(read - 1);
    epoch = end;
    land(AppendHeader.marker(7, 9, named), new AppendValue.Leader("n", "1").encode());
  }

  private long newest() {
    return snapshots.isEmpty() ? AppendHeader.NO_SNAPSHOT : snapshots.get(snapshots.size() - 1);
  }

  private void append(Kind kind, long ofEpoch, byte[] value) {
    land(new AppendHeader(kind, ofEpoch, 7, 1, 1, 0, newest(), Bytes.EMPTY), value);
  }

  private void snapshot() {
    snapshot(end);
  }

  /** A leader names a snapshot of the log before this offset. */
  private void snapshot(long next) {
    FollowState at =
        new FollowState(next, 1, 1, true, newest(), AppendHeader.NO_SNAPSHOT, List.of());
    Snapshot named = new Snapshot(end + 1, at, 0, Trim.NONE, new SnapshotContent(0, 0, 0, 0, 0));
    long offset = end;
    append(Kind.SNAPSHOT, epoch, named.encode());
    snapshots.add(offset);
  }

  private void begin() {
    claim(0);
    append(Kind.BEGIN, epoch, new Begin(0, 0).encode());
  }

  /** The offsets of the found snapshots. */
  private List<Long> found() throws IOException {
    return found(Set.of());
  }

  /** The offsets of the found snapshots that were not tried. */
  private List<Long> found(Set<Long> tried) throws IOException {
    try (SnapshotSearch search = new SnapshotSearch(log, P, Waits.ofThread(60_000), RECORDS_MAX)) {
      SnapshotSearch.Found found = search.find(tried);
      assertThat(found.hasAll()).isFalse();
      return found.snapshots().stream().map(each -> each.id() - 1).toList();
    }
  }

  @Test
  void a_snapshot_of_an_end_that_the_log_has_lost_is_not_found() throws IOException {
    begin();
    snapshot();
    snapshot();
    List<Long> whole = List.of(snapshots.get(1), snapshots.get(0));
    snapshot(end + 1);
    claim(3);
    assertThat(found()).isEqualTo(whole);
    claim(2);
    snapshot(end);
    assertThat(found()).hasSize(3).contains(snapshots.get(3)).doesNotContain(snapshots.get(2));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void the_two_newest_snapshots_are_found_whatever_the_last_leaders_had_read(long seed)
      throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    begin();
    int steps = random.nextInt(1 << random.nextInt(8));
    for (int step = 0; step < steps; step++) {
      switch (random.nextInt(20)) {
        case 0 -> snapshot();
        case 1 -> claim(snapshots.size());
        case 2 -> append(Kind.BATCHES, Math.max(0, epoch - 1), new byte[0]);
        default -> append(Kind.BATCHES, epoch, new byte[0]);
      }
    }
    snapshot();
    snapshot();
    for (int i = random.nextInt(1 << random.nextInt(8)); i > 0; i--) {
      claim(random.nextInt(2));
    }
    assertThat(found())
        .as("seed " + seed)
        .startsWith(snapshots.get(snapshots.size() - 1), snapshots.get(snapshots.size() - 2));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void all_snapshots_that_are_not_deleted_are_found_after_those_that_the_last_leaders_name(
      long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    begin();
    int deleted = 1 + random.nextInt(SnapshotSearch.SNAPSHOTS_MAX);
    for (int i = 0; i < deleted; i++) {
      snapshot();
    }
    claim(deleted);
    for (int i = random.nextInt(20); i > 0; i--) {
      append(Kind.BATCHES, epoch, new byte[0]);
    }
    snapshot();
    snapshot();
    for (int i = 1 + random.nextInt(20); i > 0; i--) {
      claim(random.nextInt(deleted + 1));
    }
    List<Long> intact = List.of(snapshots.get(deleted + 1), snapshots.get(deleted));
    Set<Long> tried = new HashSet<>();
    List<Long> found = found();
    while (!found.isEmpty() && !found.containsAll(intact)) {
      found.forEach(offset -> tried.add(offset + 1));
      found = found(tried);
    }
    assertThat(found).as("seed " + seed).startsWith(intact.get(0), intact.get(1));
  }

  @Test
  void a_caller_that_never_is_in_time_finds_no_more_at_last() throws IOException {
    begin();
    Set<Long> tried = new HashSet<>();
    int searches = 0;
    snapshot();
    for (List<Long> found = found(); !found.isEmpty(); found = found(tried)) {
      found.forEach(offset -> tried.add(offset + 1));
      snapshot();
      searches++;
      assertThat(searches).isLessThan(100);
    }
    assertThat(tried).hasSize(SnapshotSearch.TRIED_MAX);
  }

  @Test
  void a_search_reads_a_part_of_the_log_at_most() throws IOException {
    begin();
    snapshot();
    snapshot();
    for (int i = 0; i < RECORDS_MAX; i++) {
      claim(0);
    }
    assertThat(found()).containsExactly(snapshots.get(1), snapshots.get(0));
    for (int i = 0; i < RECORDS_MAX; i++) {
      claim(0);
    }
    assertThat(found()).as("no attempt reads the whole log").isEmpty();
  }

  @Test
  void snapshots_that_a_trim_has_overtaken_end_no_search() throws IOException {
    begin();
    for (int i = 0; i < 4; i++) {
      snapshot();
    }
    claim(2);
    var unused = log.deleteBefore(P, snapshots.get(2));
    assertThat(found()).containsExactly(snapshots.get(3), snapshots.get(2));
  }

  /** A broker has damaged the value of a record. */
  @Test
  void a_record_that_nobody_can_read_hides_no_snapshot_before() throws IOException {
    begin();
    snapshot();
    snapshot();
    long damaged = end;
    append(Kind.SNAPSHOT, epoch, new byte[] {1});
    snapshots.add(damaged);
    append(Kind.BATCHES, epoch, new byte[0]);
    assertThat(found()).containsExactly(snapshots.get(1), snapshots.get(0));
  }
}
