package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.replica.append.AppendValue.Snapshot;
import io.tunnel.server.replica.append.AppendValue.Trim;
import io.tunnel.server.replica.append.SnapshotStep.Ask;
import io.tunnel.server.replica.append.SnapshotStep.Delete;
import io.tunnel.server.replica.append.SnapshotStep.Kind;
import io.tunnel.server.replica.append.SnapshotStep.Recall;
import io.tunnel.server.replica.append.SnapshotStep.Search;
import io.tunnel.server.replica.append.SnapshotStep.Take;
import io.tunnel.server.replica.append.TrimCore.Kept;
import io.tunnel.server.replica.snapshot.DueCore;
import io.tunnel.server.replica.snapshot.SnapshotContent;
import io.tunnel.server.replica.snapshot.SnapshotWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Kafka's disk while rows are written again and again, for the real limits of a node. A record of
 * the log has 1 MiB, and so has a block. Each step costs the time that the bytes need.
 */
final class RewrittenRowsTest {

  private static final long SECOND = 1_000_000_000L;

  /** Kafka frees complete segments of this many MiB. */
  private static final long SEGMENT_MIB = 128;

  /**
   * Kafka looks for deleted segments so often, by default, and deletes the files a minute later.
   */
  private static final long KAFKA_LOOK_SECONDS = 300;

  private static final long KAFKA_DELETE_SECONDS = 60;

  /** MiB a second at which another node reads a snapshot back. */
  private static final long READ_MIB = 32;

  private final SnapshotsCore core = new SnapshotsCore(DueCore.Limits.USUAL, TrimCore.WAIT_NANOS);
  private final List<Log> logs = new ArrayList<>();
  private final List<Due> dues = new ArrayList<>();
  private long now;

  private record Due(long nanos, Runnable action) {}

  private static final class Log {
    final long rowMib;
    final double mibPerSecond;
    double written;
    long block;
    long logStart;
    long blocksStart;
    long diskMax;
    int snapshots;
    Trim trimmed = Trim.NONE;
    Optional<LaneView.Named> named = Optional.empty();
    OptionalLong readBack = OptionalLong.empty();

    Log(long rowMib, double mibPerSecond) {
      this.rowMib = rowMib;
      this.mibPerSecond = mibPerSecond;
      this.written = rowMib;
    }

    FollowState follow() {
      long offset = named.map(LaneView.Named::offset).orElse(AppendHeader.NO_SNAPSHOT);
      return new FollowState((long) written, (long) written + 1, 1, true, offset, -1, List.of());
    }

    long disk() {
      return (long) written - logStart + block - blocksStart;
    }
  }

  private void run(long seconds) {
    for (long until = now + seconds * SECOND; now < until; now += SECOND) {
      for (int partition = 0; partition < logs.size(); partition++) {
        Log log = logs.get(partition);
        log.written += log.mibPerSecond;
        see(partition, log);
      }
      dues.sort(Comparator.comparingLong(Due::nanos));
      while (!dues.isEmpty() && dues.get(0).nanos() <= now) {
        dues.remove(0).action().run();
      }
      core.look(now).forEach(this::begin);
      logs.forEach(log -> log.diskMax = Math.max(log.diskMax, log.disk()));
    }
  }

  private void see(int partition, Log log) {
    core.see(
        partition,
        new SeenReplica(
            1,
            OptionalLong.of(1),
            new KnownLog(1, log.follow(), log.trimmed),
            log.named,
            (long) log.written << 20,
            0,
            true),
        now);
  }

  private void in(long seconds, Runnable action) {
    dues.add(new Due(now + seconds * SECOND, action));
  }

  private void begin(SnapshotStep step) {
    Log log = logs.get(step.partition());
    if (step instanceof Recall recall) {
      core.recalled(recall, List.of(), (long) log.written << 20, now);
    } else if (step instanceof Take take) {
      take(take, log);
    } else if (step instanceof Ask ask) {
      log.readBack.ifPresent(id -> core.verifiedElsewhere(ask, id));
    } else if (step instanceof Search search) {
      Kept all = new Kept(Long.MAX_VALUE, Long.MAX_VALUE);
      core.kept(search, Optional.of(all), now)
          .ifPresent(trim -> log.trimmed = log.trimmed.with(trim));
      core.trimmed(search, now);
    } else if (step instanceof Delete delete) {
      long start = delete.offset() / SEGMENT_MIB * SEGMENT_MIB;
      long look = KAFKA_LOOK_SECONDS - now / SECOND % KAFKA_LOOK_SECONDS;
      in(look + KAFKA_DELETE_SECONDS, () -> free(delete.of(), log, start));
      core.deleted(delete, true, now);
    } else {
      throw new AssertionError("the leader reads nothing back: " + step);
    }
  }

  private static void free(Kind of, Log log, long start) {
    if (of == Kind.LOG) {
      log.logStart = start;
    } else {
      log.blocksStart = start;
    }
  }

  private void take(Take take, Log log) {
    core.began(take);
    FollowState at = log.follow();
    long first = log.block;
    log.block += log.rowMib;
    in(
        log.rowMib / Math.max(1, core.paceBytes() >> 20) + 1,
        () -> {
          Snapshot snapshot =
              new Snapshot(
                  SnapshotWriter.id(at.next(), take.attempt()),
                  at,
                  0,
                  log.trimmed,
                  new SnapshotContent(first, 1, 1, log.rowMib << 20, 0));
          log.named = Optional.of(new LaneView.Named((long) log.written, snapshot));
          log.snapshots++;
          core.counted(take);
          in(log.rowMib / READ_MIB + 1, () -> log.readBack = OptionalLong.of(snapshot.id()));
        });
  }

  /** Each row is rewritten once in 27 to 68 minutes. */
  @Test
  void kafkas_disk_is_at_most_six_times_the_rows_under_hours_of_rewriting() {
    for (int partition = 0; partition < 4; partition++) {
      logs.add(new Log(2_048, 0.5 + partition / 4.0));
    }
    run(14 * 3_600);
    for (Log log : logs) {
      assertThat(log.snapshots).isGreaterThanOrEqualTo(10);
      assertThat((double) log.diskMax / log.rowMib)
          .as("%s MiB a second", log.mibPerSecond)
          .isLessThanOrEqualTo(6);
    }
  }

  /** The bound of ADR 44 at any rate, also where a snapshot comes more often than the wait. */
  @Test
  void kafkas_disk_is_bounded_by_the_rows_and_by_the_writes_of_the_wait() {
    for (long seed = 1; seed <= 20; seed++) {
      Random random = new Random(seed);
      RewrittenRowsTest world = new RewrittenRowsTest();
      long rows = 100L + random.nextInt(1_000);
      world.logs.add(new Log(rows, 0.1 + random.nextInt(120) / 10.0));
      world.run(3 * 3_600);
      Log log = world.logs.get(0);
      double waitSeconds = 120 + KAFKA_LOOK_SECONDS + KAFKA_DELETE_SECONDS;
      waitSeconds += rows / 8.0 + rows / 32.0 + rows / (double) READ_MIB + 15;
      double bound = 5 * rows + 2 * waitSeconds * log.mibPerSecond + 2 * SEGMENT_MIB;
      assertThat((double) log.diskMax)
          .as("seed %d: %d MiB, %s MiB a second", seed, rows, log.mibPerSecond)
          .isLessThanOrEqualTo(bound);
    }
  }
}
