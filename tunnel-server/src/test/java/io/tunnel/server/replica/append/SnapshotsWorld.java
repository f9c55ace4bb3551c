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
import io.tunnel.server.replica.append.SnapshotStep.Verify;
import io.tunnel.server.replica.append.TrimCore.Kept;
import io.tunnel.server.replica.snapshot.DueCore;
import io.tunnel.server.replica.snapshot.SnapshotContent;
import io.tunnel.server.replica.snapshot.SnapshotWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The partitions of a node, with results of steps that come late, in any order, or of a lane that
 * is gone. The logs of the partitions are a truth apart from the core.
 */
final class SnapshotsWorld {

  private static final int PARTITIONS = 4;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final Random random;
  private final SnapshotsCore core =
      new SnapshotsCore(new DueCore.Limits(1_000, 1, 1 << 30, 1, 1), TrimCore.WAIT_NANOS);
  private final Map<Integer, Log> logs = new TreeMap<>();
  private final List<SnapshotStep> underWay = new ArrayList<>();
  private long now;
  private long lanes;
  private int trims;
  private int taken;
  private int deleted;

  /** The log of a partition, and this node's replica. */
  private static final class Log {
    final List<Snapshot> snapshots = new ArrayList<>();
    final List<Long> offsets = new ArrayList<>();
    final List<Long> countedNanos = new ArrayList<>();
    final Set<Long> damaged = new HashSet<>();
    final Set<Long> readBack = new HashSet<>();
    final Set<Long> readBackElsewhere = new HashSet<>();
    long next;
    long blocks;
    Trim trimmed = Trim.NONE;
    long deletedLog;
    long deletedBlocks;
    boolean hasOthers;

    /** 0 without a replica. */
    long lane;

    OptionalLong epoch = OptionalLong.empty();
    long bytes;
    Optional<LaneView.Named> named = Optional.empty();

    FollowState follow() {
      int count = offsets.size();
      return new FollowState(
          next,
          next + 1,
          1,
          true,
          count > 0 ? offsets.get(count - 1) : AppendHeader.NO_SNAPSHOT,
          count > 1 ? offsets.get(count - 2) : AppendHeader.NO_SNAPSHOT,
          List.of());
    }
  }

  SnapshotsWorld(Random random) {
    this.random = random;
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      logs.put(partition, new Log());
    }
  }

  int trims() {
    return trims;
  }

  int taken() {
    return taken;
  }

  int deleted() {
    return deleted;
  }

  void step() {
    int partition = 1 + random.nextInt(PARTITIONS);
    Log log = logs.get(partition);
    int chance = random.nextInt(100);
    if (chance < 3) {
      move(log);
    } else if (chance < 25) {
      log.next += 1 + random.nextInt(3);
      log.bytes += random.nextInt(300);
    } else if (chance < 45) {
      see();
    } else if (chance < 60) {
      now += random.nextInt(20) * SECOND;
    } else if (chance < 62) {
      now += random.nextInt(600) * SECOND;
    } else {
      look();
      if (!underWay.isEmpty()) {
        answer(underWay.remove(random.nextInt(underWay.size())), random.nextInt(8) > 0);
      }
    }
  }

  /** The replica begins, begins anew, leads, follows, or ends. */
  private void move(Log log) {
    int chance = random.nextInt(8);
    if (log.lane == 0 || chance == 0) {
      lanes++;
      log.lane = lanes;
      log.bytes = 0;
      log.named = Optional.empty();
      log.epoch = OptionalLong.empty();
      log.readBack.clear();
    } else if (chance == 1) {
      log.lane = 0;
      log.epoch = OptionalLong.empty();
      log.readBack.clear();
    } else if (chance == 2) {
      log.epoch = OptionalLong.empty();
    } else if (chance == 3) {
      log.hasOthers = !log.hasOthers;
    } else {
      log.epoch = OptionalLong.of(log.next);
      log.next++;
    }
  }

  private void see() {
    logs.forEach(
        (partition, log) -> {
          if (log.lane == 0) {
            core.gone(partition);
            return;
          }
          core.see(
              partition,
              new SeenReplica(
                  log.lane,
                  log.epoch,
                  new KnownLog(1, log.follow(), log.trimmed),
                  log.named,
                  log.bytes,
                  0,
                  log.hasOthers),
              now);
        });
  }

  private void look() {
    List<SnapshotStep> steps = core.look(now);
    for (SnapshotStep step : steps) {
      // A question may be asked again before its answer.
      assertThat(step instanceof Ask || !underWay.contains(step)).as("twice: %s", step).isTrue();
    }
    underWay.addAll(steps);
    // A step of a lane that is gone may be under way beside the next one.
    assertThat(underWay.stream().filter(Take.class::isInstance).map(Take.class::cast))
        .filteredOn(core::isTaking)
        .hasSizeLessThanOrEqualTo(1);
    assertThat(underWay.stream().filter(Verify.class::isInstance).map(Verify.class::cast))
        .filteredOn(core::isVerifying)
        .hasSizeLessThanOrEqualTo(1);
  }

  private void answer(SnapshotStep step, boolean succeeds) {
    Log log = logs.get(step.partition());
    if (step instanceof Recall recall) {
      if (succeeds) {
        List<Snapshot> found = new ArrayList<>();
        for (int i = 0; i < log.offsets.size(); i++) {
          if (recall.offsets().contains(log.offsets.get(i))) {
            found.add(log.snapshots.get(i));
          }
        }
        core.recalled(recall, found, random.nextInt(500), now);
      } else {
        core.notRecalled(recall, now);
      }
    } else if (step instanceof Take take) {
      take(take, log, succeeds);
    } else if (step instanceof Verify verify) {
      verify(verify, log, succeeds);
    } else if (step instanceof Ask ask) {
      if (succeeds && !log.snapshots.isEmpty()) {
        Snapshot newest = log.snapshots.get(log.snapshots.size() - 1);
        if (!log.damaged.contains(newest.id())) {
          log.readBackElsewhere.add(newest.id());
          core.verifiedElsewhere(ask, newest.id());
        }
      }
    } else if (step instanceof Search search) {
      search(search, log, succeeds);
    } else if (step instanceof Delete delete) {
      delete(delete, log, succeeds);
    }
  }

  private void take(Take take, Log log, boolean succeeds) {
    boolean leads = log.lane == take.lane() && log.epoch.equals(OptionalLong.of(take.epoch()));
    if (!leads || random.nextInt(10) == 0) {
      core.failed(take, now);
      return;
    }
    core.began(take);
    if (!succeeds || !core.isTaking(take)) {
      core.failed(take, now);
      return;
    }
    FollowState at = log.follow();
    Snapshot snapshot =
        new Snapshot(
            SnapshotWriter.id(at.next(), take.attempt()),
            at,
            0,
            log.trimmed,
            new SnapshotContent(log.blocks, 1, 1, 1, 0));
    assertThat(log.snapshots).as("ids rise").allMatch(each -> each.id() < snapshot.id());
    log.blocks += 2;
    if (random.nextInt(5) == 0) {
      log.damaged.add(snapshot.id());
    }
    log.snapshots.add(snapshot);
    log.offsets.add(log.next);
    log.countedNanos.add(now);
    log.named = Optional.of(new LaneView.Named(log.next, snapshot));
    log.next++;
    taken++;
    core.counted(take);
  }

  private void verify(Verify verify, Log log, boolean succeeds) {
    boolean isKnown = core.isVerifying(verify);
    long id = verify.snapshot().id();
    if (!succeeds) {
      core.unread(verify, now);
    } else if (log.damaged.contains(id)) {
      core.damaged(verify);
    } else {
      core.verified(verify);
      if (isKnown) {
        log.readBack.add(id);
        assertThat(core.verified(verify.partition())).hasValue(id);
      }
    }
  }

  private void search(Search search, Log log, boolean succeeds) {
    Kept kept = new Kept(Math.max(1, log.next - 5), Math.max(0, log.next - 5));
    Optional<Trim> trim = core.kept(search, succeeds ? Optional.of(kept) : Optional.empty(), now);
    if (trim.isEmpty()) {
      return;
    }
    boolean leads = log.lane == search.lane() && log.epoch.equals(OptionalLong.of(search.epoch()));
    if (leads) {
      requireRight(trim.get(), log);
      trims++;
      log.trimmed = log.trimmed.with(trim.get());
      log.next++;
    }
    core.trimmed(search, now);
  }

  /** Two snapshots that some node has read back are kept, and the newer one is old enough. */
  private void requireRight(Trim trim, Log log) {
    List<Integer> kept = new ArrayList<>();
    for (int i = 0; i < log.snapshots.size(); i++) {
      Snapshot each = log.snapshots.get(i);
      boolean isRead =
          log.readBack.contains(each.id()) || log.readBackElsewhere.contains(each.id());
      if (isRead
          && each.at().next() >= trim.offset()
          && each.at().position() >= trim.position()
          && each.blocks().firstOffset() >= trim.block()) {
        kept.add(i);
      }
    }
    assertThat(kept).as("snapshots that %s keeps", trim).hasSizeGreaterThanOrEqualTo(2);
    assertThat(now - log.countedNanos.get(kept.get(1))).isGreaterThanOrEqualTo(60 * SECOND);
    assertThat(log.damaged).doesNotContain(log.snapshots.get(kept.get(0)).id());
  }

  private void delete(Delete delete, Log log, boolean succeeds) {
    long limit = delete.of() == Kind.LOG ? log.trimmed.offset() : log.trimmed.block();
    assertThat(delete.offset()).as("no more than a trim that counts").isLessThanOrEqualTo(limit);
    if (succeeds) {
      deleted++;
      if (delete.of() == Kind.LOG) {
        log.deletedLog = Math.max(log.deletedLog, delete.offset());
      } else {
        log.deletedBlocks = Math.max(log.deletedBlocks, delete.offset());
      }
    }
    core.deleted(delete, succeeds, now);
  }

  /** Everything succeeds from now on: each led partition gets what is due. */
  void settle() {
    logs.values()
        .forEach(
            log -> {
              log.damaged.clear();
              while (log.lane == 0 || log.epoch.isEmpty()) {
                move(log);
              }
            });
    for (int i = 0; i < 400; i++) {
      now += 30 * SECOND;
      logs.values().forEach(log -> log.bytes += 100);
      see();
      for (look(); !underWay.isEmpty(); look()) {
        answer(underWay.remove(0), true);
        see();
      }
    }
    logs.forEach(
        (partition, log) -> {
          assertThat(log.trimmed.offset()).as("trimmed of " + partition).isPositive();
          assertThat(log.deletedLog).isEqualTo(log.trimmed.offset());
          assertThat(log.deletedBlocks).isEqualTo(log.trimmed.block());
        });
  }
}
